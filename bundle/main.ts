/**
 * The entry of the bundled command line: the same commands as `src/cli/main.ts`, over a layer that starts quickly in Deno.
 */
// imported first, because it changes how all other modules are loaded
import { endStart } from "./quick_start.ts"
import { scopedNativeCodecs } from "../platform/codecs/layers/native.ts"
import { makeNativeLayer } from "../platform/runtime/native_layer.ts"
import { openByDeno, openByNode } from "../platform/storage/local/host_files.ts"
import { makeLocalStorageBy } from "../platform/storage/local/local.ts"
import { runProcess } from "../src/cli/run_process.ts"

/** In Deno, results up to this many bytes are decoded without `node:zlib`, which takes some 10 ms to load. */
const MAX_PORTABLE_SIZE = 1 << 15

endStart()
const local = makeLocalStorageBy(openByDeno ?? openByNode)
const codecs = scopedNativeCodecs({ portableUpTo: openByDeno === undefined ? 0 : MAX_PORTABLE_SIZE })
runProcess(makeNativeLayer(local, codecs))
