// What Go calls: one parser of one language, and queries whose captures are
// copied into a flat array. The host provides one function, stop.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "arena.h"

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("dougu"), import_name(name)))

extern const TSLanguage *GRAMMAR(void);

// stop says whether the work is to be given up.
IMPORT("stop") int32_t stop(void);

enum { QUERIES = 2, MATCHES = 1 << 16, PROBLEMS = 20, CHECKS = 16, NODES = 1 << 14 };

// The flags of a node, beside its symbol of 16 bits.
enum { NAMED = 1 << 16, MISSING = 1 << 17, EXTRA = 1 << 18, FAULTY = 1 << 19 };

static TSQuery *queries[QUERIES];
static const char *source;
static uint32_t length;
static TSTree *tree;
static uint32_t checks;
static bool stopped, exceeded;

// Where walk() is in the tree.
static TSTreeCursor walker;
static uint32_t depth;
static bool walking, more;

// What results() shows.
static uint32_t *found;
static uint32_t used, room;
static uint32_t failure[2];

// buffer is room for a text of n bytes. Whatever was read before is forgotten.
EXPORT("buffer") void *buffer(uint32_t n) {
  arena_reset();
  tree = NULL;
  found = NULL;
  used = room = 0;
  walking = false;
  source = arena_text(n + 1);
  length = n;
  return (void *)source;
}

// compile makes the text in the buffer the query with this number, for good. On
// failure, the offset and the kind of the error are at failed().
EXPORT("compile") int32_t compile(uint32_t which) {
  TSQueryError kind;
  queries[which] = ts_query_new(GRAMMAR(), source, length, &failure[0], &kind);
  failure[1] = (uint32_t)kind;
  arena_keep();
  return queries[which] ? 0 : 1;
}

// kept is where the memory ends that the queries need.
EXPORT("kept") uint32_t kept(void) { return (uint32_t)arena_kept(); }

EXPORT("failed") uint32_t *failed(void) { return failure; }

// exhausted says that the memory was not enough, after a trap.
EXPORT("exhausted") int32_t exhausted(void) { return arena_exhausted; }

static const char *read(void *payload, uint32_t at, TSPoint point, uint32_t *n) {
  (void)payload, (void)point;
  *n = at < length ? length - at : 0;
  return source + (at < length ? at : length);
}

// arena_check ends the work where there is no way back.
void arena_check(void) {
  if (stop()) __builtin_trap();
}

static bool check(void) {
  if (++checks % CHECKS == 0 && stop()) stopped = true;
  return stopped;
}

static bool check_parse(TSParseState *state) {
  (void)state;
  return check();
}

static bool check_query(TSQueryCursorState *state) {
  (void)state;
  return check();
}

// parse reads the text in the buffer: 0 is success, 1 a tree with errors, 2 a
// failure.
EXPORT("parse") int32_t parse(void) {
  stopped = false;
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, GRAMMAR())) return 2;
  TSInput input = {.payload = NULL, .read = read, .encoding = TSInputEncodingUTF8};
  TSParseOptions options = {.payload = NULL, .progress_callback = check_parse};
  tree = ts_parser_parse_with_options(parser, NULL, input, options);
  if (!tree) return 2;
  return ts_node_has_error(ts_tree_root_node(tree)) ? 1 : 0;
}

static void add(uint32_t v) {
  if (used == room) {
    room = room ? room * 2 : 8192;
    found = arena_reallocate(found, (size_t)room * sizeof *found);
  }
  found[used++] = v;
}

// run puts the matches of a query into results(): for each its pattern and its
// number of captures, then for each capture its index, its node, and where that
// starts and ends. The answer is the number of integers; exceeded() says that
// there would be more, or that the work was stopped.
EXPORT("run") int32_t run(uint32_t which) {
  used = 0;
  stopped = false;
  TSQueryCursor *cursor = ts_query_cursor_new();
  TSQueryCursorOptions options = {.payload = NULL, .progress_callback = check_query};
  TSQueryMatch match;
  ts_query_cursor_set_match_limit(cursor, MATCHES);
  ts_query_cursor_exec_with_options(cursor, queries[which], ts_tree_root_node(tree), &options);
  while (ts_query_cursor_next_match(cursor, &match)) {
    if (match.capture_count == 0) continue;
    add(match.pattern_index);
    add(match.capture_count);
    for (uint16_t i = 0; i < match.capture_count; i++) {
      TSNode node = match.captures[i].node;
      add(match.captures[i].index);
      add((uint32_t)(uintptr_t)node.id);
      add(ts_node_start_byte(node));
      add(ts_node_end_byte(node));
    }
  }
  exceeded = stopped || ts_query_cursor_did_exceed_match_limit(cursor);
  ts_query_cursor_delete(cursor);
  return (int32_t)used;
}

EXPORT("exceeded") int32_t was_exceeded(void) { return exceeded; }

// problems puts the first places that the grammar does not allow into results():
// for each where it starts and ends, and the name of what is missing there, or 0.
EXPORT("problems") int32_t problems(void) {
  used = 0;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool up = false; used < 3 * PROBLEMS;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    if (!up) {
      bool missing = ts_node_is_missing(node), error = ts_node_is_error(node);
      if (missing || error) {
        add(ts_node_start_byte(node));
        add(ts_node_end_byte(node));
        add(missing ? (uint32_t)(uintptr_t)ts_node_type(node) : 0);
      } else if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) {
        continue;
      }
    }
    if (ts_tree_cursor_goto_next_sibling(&cursor)) {
      up = false;
    } else if (ts_tree_cursor_goto_parent(&cursor)) {
      up = true;
    } else {
      break;
    }
  }
  ts_tree_cursor_delete(&cursor);
  return (int32_t)used;
}

// walk puts the next nodes of the tree into results(), in the order of the text
// with a node before its children: for each its symbol and flags (NAMED …) in
// one integer, where it starts and ends, and its depth. The first call after
// parse begins with the root. The answer is the number of integers, 0 at the end;
// exceeded() says that the work was stopped.
EXPORT("walk") int32_t walk(void) {
  used = 0;
  stopped = exceeded = false;
  if (!walking) {
    walker = ts_tree_cursor_new(ts_tree_root_node(tree));
    walking = more = true;
    depth = 0;
  }
  while (more && used < 4 * NODES) {
    TSNode node = ts_tree_cursor_current_node(&walker);
    add((uint32_t)ts_node_symbol(node) | (ts_node_is_named(node) ? NAMED : 0) | (ts_node_is_missing(node) ? MISSING : 0) |
        (ts_node_is_extra(node) ? EXTRA : 0) | (ts_node_has_error(node) ? FAULTY : 0));
    add(ts_node_start_byte(node));
    add(ts_node_end_byte(node));
    add(depth);
    if (check()) break;
    if (ts_tree_cursor_goto_first_child(&walker)) {
      depth++;
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&walker)) {
      if (!ts_tree_cursor_goto_parent(&walker)) {
        more = false;
        break;
      }
      depth--;
    }
  }
  exceeded = stopped;
  return (int32_t)used;
}

// kind is the name of a symbol, or 0 for a number that is none.
EXPORT("kind") const char *kind(uint32_t symbol) {
  if (symbol != (TSSymbol)symbol) return NULL;
  return ts_language_symbol_name(GRAMMAR(), (TSSymbol)symbol);
}

EXPORT("results") uint32_t *results(void) { return found; }
