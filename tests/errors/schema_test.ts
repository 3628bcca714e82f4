/**
 * Every error class is a schema: its errors can be converted to JSON and back, are recognised and caught, and HTTP APIs
 * can declare them.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Hint } from "../../schema/errors/hint.ts"
import { StorageError } from "../../platform/errors.ts"
import { type AnyError, classes, type Constructor, fieldsOf, load } from "./error_classes.ts"

const tags = Object.keys(classes)
const valueOf = (name: string): unknown => name === "cause" ? new TypeError("the cause") : `the ${name}`

/** Returns the error after it was converted to JSON, parsed and decoded. */
const throughJson = (Class: Constructor, error: AnyError): AnyError =>
  Schema.decodeUnknownSync(Class)(JSON.parse(JSON.stringify(Schema.encodeSync(Class)(error))))

const assertSame = (Class: Constructor, decoded: AnyError, error: AnyError): void => {
  assert(decoded instanceof Class && decoded instanceof Error)
  assertEquals(decoded.message, error.message)
  assertEquals(Schema.encodeSync(Class)(decoded), Schema.encodeSync(Class)(error))
  assertEquals(Object.keys(decoded).sort(), Object.keys(error).sort())
}

/** Returns the literals that a field of a class can have. */
const literalsOf = (Class: Constructor, name: string): ReadonlyArray<string> => {
  const { fields } = Class as unknown as { readonly fields: Record<string, Schema.Schema.Any> }
  const ast = fields[name]?.ast
  if (ast === undefined || !AST.isUnion(ast)) return []
  return ast.types.map((type) => AST.isLiteral(type) ? String(type.literal) : "")
}

describe("error classes as schemas", () => {
  for (const tag of tags) {
    it(`${tag} can be converted to JSON and back`, async () => {
      const Class = await load(tag)
      const error = new Class(fieldsOf(tag, valueOf))
      assertSame(Class, throughJson(Class, error), error)
    })

    it(`${tag} can be converted to JSON and back with any text, and without its optional fields`, async () => {
      const Class = await load(tag)
      const schemas = (Class as unknown as { readonly fields: Schema.Struct.Fields }).fields
      const isOptional = (name: string) => Schema.isPropertySignature(schemas[name])
      FastCheck.assert(
        FastCheck.property(FastCheck.fullUnicodeString(), FastCheck.boolean(), (text, isWhole) => {
          const all = fieldsOf(tag, (name) => name === "cause" ? new Error(text) : text)
          const fields = Object.entries(all).filter(([name]) => isWhole || !isOptional(name))
          const error = new Class(Object.fromEntries(fields))
          assertSame(Class, throughJson(Class, error), error)
        }),
        { numRuns: 30 },
      )
    })

    it(`${tag} can be converted to JSON and back with each of the reasons`, async () => {
      const Class = await load(tag)
      for (const name of ["reason", "op"]) {
        for (const literal of literalsOf(Class, name)) {
          const error = new Class({ ...fieldsOf(tag, valueOf), [name]: literal })
          assertEquals((throughJson(Class, error) as unknown as Record<string, unknown>)[name], literal)
          assertSame(Class, throughJson(Class, error), error)
        }
      }
    })

    it(`${tag} is recognised, and refuses other fields when it is decoded`, async () => {
      const Class = await load(tag)
      const error = new Class(fieldsOf(tag, valueOf))
      assert(Schema.is(Class)(error))
      assert(!Schema.is(Class)(new Error(error.message)))
      assert(!Schema.is(Class)({ ...error }))
      const encoded = Schema.encodeSync(Class)(error)
      assert(Either.isLeft(Schema.decodeUnknownEither(Class)({ ...encoded, _tag: "Other" })))
      for (const [name, value] of Object.entries(encoded)) {
        if (name === "cause") continue
        const wrong = typeof value === "string" ? 1 : "wrong"
        assert(Either.isLeft(Schema.decodeUnknownEither(Class)({ ...encoded, [name]: wrong })), name)
      }
    })

    it(`${tag} is yielded, caught by its tag, and has a stack`, async () => {
      const Class = await load(tag)
      const error = new Class(fieldsOf(tag, valueOf))
      const program = Effect.gen(function* () {
        return yield* (error as unknown as Effect.Effect<never, AnyError>)
      })
      assert(Effect.runSync(Effect.catchTag(program, tag, Effect.succeed)) === error)
      const caught = Effect.catchTags(program, { [tag]: Effect.succeed } as never) as Effect.Effect<unknown>
      assert(Effect.runSync(caught) === error)
      assertEquals(error.name, tag)
      assert(error.stack!.includes("schema_test.ts"), error.stack)
    })
  }

  it("have reasons and operations that are closed sets", async () => {
    for (const tag of tags) {
      const { fields } = await load(tag) as unknown as { readonly fields: Record<string, Schema.Schema.Any> }
      for (const name of ["reason", "op"]) {
        if (fields[name] !== undefined) assertEquals([tag, name, fields[name].ast?._tag], [tag, name, "Union"])
      }
      for (const [name, field] of Object.entries(fields)) {
        assert(!String(field).includes("boolean"), `${tag}.${name} is a flag; make it a reason`)
      }
    }
  })

  it("reject unknown hints", () => {
    assert(Schema.is(Hint)({ _tag: "RaiseMemory", atLeast: 3 }))
    assert(!Schema.is(Hint)({ _tag: "RaiseMemory" }))
    assert(!Schema.is(Hint)({ _tag: "Pray" }))
  })

  it("are sent by an HTTP API that declares all of them", async () => {
    const loaded = await Promise.all(tags.map(load))
    const failing = HttpApiEndpoint.get("fail", "/fail/:index").setPath(
      Schema.Struct({ index: Schema.NumberFromString }),
    )
    const endpoint = loaded.reduce(
      (endpoint, Class) => endpoint.addError(Class) as never,
      failing.addError(StorageError),
    )
    const Api = HttpApi.make("api").add(HttpApiGroup.make("arrays").add(endpoint))
    const errors = loaded.map((Class, i) => new Class(fieldsOf(tags[i], valueOf)))
    const group = HttpApiBuilder.group(
      Api,
      "arrays",
      (handlers) => handlers.handle("fail", ({ path }) => Effect.fail(errors[path.index] as unknown as StorageError)),
    )
    const { handler, dispose } = HttpApiBuilder.toWebHandler(
      Layer.mergeAll(Layer.provide(HttpApiBuilder.api(Api), group), HttpServer.layerContext),
    )
    const fetched = Layer.succeed(FetchHttpClient.Fetch, (input, init) => handler(new Request(input, init)))
    const received = await Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* HttpApiClient.make(Api, { baseUrl: "http://localhost" })
        return yield* Effect.forEach(tags, (_, index) => Effect.flip(client.arrays.fail({ path: { index } })))
      }).pipe(Effect.provide(Layer.provide(FetchHttpClient.layer, fetched))),
    )
    await dispose()
    for (const [i, Class] of loaded.entries()) assertSame(Class, received[i] as AnyError, errors[i])
  })
})
