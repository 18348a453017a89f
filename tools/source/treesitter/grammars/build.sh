#!/usr/bin/env bash
# Builds one WebAssembly module a grammar from the packages that
# package-lock.json names: build.sh [directory [grammar…]]. What it takes is in
# README.md. Objects are kept in the directory, so that a changed shim is linked
# anew in seconds. With grammars, only these are built, into the directory, and
# SHA256SUMS stays as it is.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
work="${1:-${TMPDIR:-/tmp}/dougu-grammars}"
wanted=("${@:2}")
out="$here"
[ ${#wanted[@]} -eq 0 ] || out="$work"
mkdir -p "$work/obj"
cp "$here/package.json" "$here/package-lock.json" "$work/"
cd "$work"
{ cat package-lock.json "$here"/*.patch "$here/build.sh" && clang --version && wasm-ld --version; } >wanted
if ! [ -f fetched ] || ! cmp -s wanted fetched; then
  rm -rf obj/* node_modules
  npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund
  for change in "$here"/*.patch; do
    patch -d "node_modules/$(basename "$change" .patch)" -p1 <"$change"
  done
  cp wanted fetched
fi

core=node_modules/tree-sitter/vendor/tree-sitter/lib
flags=(--target=wasm32-wasi -std=c11 -O2 -DNDEBUG -D_POSIX_C_SOURCE=200112L -D_DEFAULT_SOURCE -w
  -fno-exceptions -I"$core/include" -I"$core/src" "-ffile-prefix-map=$work=." "-ffile-prefix-map=$here=.")
linked=(--target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all -Wl,--gc-sections
  -Wl,--stack-first -Wl,-z,stack-size=1048576)

compile() { # object source flags…
  [ -f "$1" ] || { clang "${flags[@]}" "${@:3}" -c "$2" -o "$1.part" && mv "$1.part" "$1"; }
}

one() { # name symbol directory
  [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]] || return 0
  local objects=("obj/$1-parser.o")
  compile "obj/$1-parser.o" "$3/src/parser.c" -I"$3/src"
  if [ -f "$3/src/scanner.c" ]; then
    compile "obj/$1-scanner.o" "$3/src/scanner.c" -I"$3/src"
    objects+=("obj/$1-scanner.o")
  fi
  clang "${flags[@]}" -O3 -DGRAMMAR="$2" -c "$here/shim.c" -o obj/shim.o
  clang "${linked[@]}" obj/shim.o obj/arena.o obj/imports.o obj/lib.o "${objects[@]}" -o "obj/$1.wasm"
  gzip -9nc "obj/$1.wasm" >"$out/$1.wasm.gz"
  echo "$1 $(stat -c %s "obj/$1.wasm") $(stat -c %s "$out/$1.wasm.gz") ${SECONDS}s"
}

compile obj/lib.o "$core/src/lib.c" -O3
clang "${flags[@]}" -O3 -c "$here/arena.c" -o obj/arena.o
clang "${flags[@]}" -c "$here/imports.c" -o obj/imports.o
n=node_modules
one go tree_sitter_go $n/tree-sitter-go
one c tree_sitter_c $n/tree-sitter-c
one java tree_sitter_java $n/tree-sitter-java
one javascript tree_sitter_javascript $n/tree-sitter-javascript
one python tree_sitter_python $n/tree-sitter-python
one rust tree_sitter_rust $n/tree-sitter-rust
one typescript tree_sitter_typescript $n/tree-sitter-typescript/typescript
one tsx tree_sitter_tsx $n/tree-sitter-typescript/tsx
one php tree_sitter_php $n/tree-sitter-php/php
one ruby tree_sitter_ruby $n/tree-sitter-ruby
one cpp tree_sitter_cpp $n/tree-sitter-cpp
one kotlin tree_sitter_kotlin $n/@tree-sitter-grammars/tree-sitter-kotlin
one scala tree_sitter_scala $n/tree-sitter-scala
one csharp tree_sitter_c_sharp $n/tree-sitter-c-sharp
one swift tree_sitter_swift $n/tree-sitter-swift
g=$n/@tree-sitter-grammars
one objc tree_sitter_objc $n/tree-sitter-objc
one dart tree_sitter_dart $n/tree-sitter-dart
one lua tree_sitter_lua $g/tree-sitter-lua
one bash tree_sitter_bash $n/tree-sitter-bash
one sql tree_sitter_sql $n/@derekstride/tree-sitter-sql
one elixir tree_sitter_elixir $n/tree-sitter-elixir
one zig tree_sitter_zig $g/tree-sitter-zig
one haskell tree_sitter_haskell $n/tree-sitter-haskell
one ocaml tree_sitter_ocaml $n/tree-sitter-ocaml/grammars/ocaml
one ocamlinterface tree_sitter_ocaml_interface $n/tree-sitter-ocaml/grammars/interface
one julia tree_sitter_julia $n/tree-sitter-julia
one perl tree_sitter_perl $n/tree-sitter-perl
one hcl tree_sitter_hcl $g/tree-sitter-hcl
one css tree_sitter_css $n/tree-sitter-css
one html tree_sitter_html $n/tree-sitter-html
one markdown tree_sitter_markdown $g/tree-sitter-markdown/tree-sitter-markdown
one json tree_sitter_json $n/tree-sitter-json
one yaml tree_sitter_yaml $g/tree-sitter-yaml
one toml tree_sitter_toml $g/tree-sitter-toml
[ ${#wanted[@]} -gt 0 ] || (cd "$here" && sha256sum ./*.wasm.gz >SHA256SUMS)
