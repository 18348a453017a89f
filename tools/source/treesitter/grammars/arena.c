// malloc and its kin over one growing stretch of memory. Freed blocks are used
// again by size; a stretch is never given back, but arena_reset begins anew.
#include "arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ALIGN = 16, SMALL = 1024, PAGE = 65536, CLASSES = SMALL / ALIGN + 1 + 32 };

typedef struct block {
  uint32_t class; // of its size
  uint32_t used;
  uint32_t unused[2];
  struct block *next; // while it is free; where the content begins
} block;

enum { HEADER = offsetof(block, next) };

extern unsigned char __heap_base;

int arena_exhausted;
uint32_t arena_steps;

static uintptr_t top, limit, kept, blocks; // blocks is where those begin that are not kept
static block *free_blocks[CLASSES];

// class_of is the number of the smallest size that n fits into; room is that size.
static uint32_t class_of(size_t n, size_t *room) {
  if (n <= SMALL) {
    uint32_t class = (uint32_t)((n + ALIGN - 1) / ALIGN);
    if (class == 0) class = 1;
    *room = (size_t)class * ALIGN;
    return class;
  }
  uint32_t bits = 32 - (uint32_t)__builtin_clz((uint32_t)(n - 1));
  *room = (size_t)1 << bits;
  return SMALL / ALIGN + bits - 10;
}

static size_t room_of(uint32_t class) {
  if (class <= SMALL / ALIGN) return (size_t)class * ALIGN;
  return (size_t)1 << (class - SMALL / ALIGN + 10);
}

static void reserve(uintptr_t end) {
  if (end <= limit) return;
  uintptr_t missing = (end - limit + PAGE - 1) / PAGE;
  uintptr_t more = limit / PAGE / 4; // grow by a quarter, so that growing is rare
  if (more > missing && __builtin_wasm_memory_grow(0, more) != SIZE_MAX) {
    limit += more * PAGE;
    return;
  }
  if (__builtin_wasm_memory_grow(0, missing) == SIZE_MAX) {
    arena_exhausted = 1;
    __builtin_trap();
  }
  limit += missing * PAGE;
}

static void begin(void) {
  top = ((uintptr_t)&__heap_base + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  limit = __builtin_wasm_memory_size(0) * PAGE;
  kept = blocks = top;
}

void *malloc(size_t n) {
  size_t room;
  if ((++arena_steps & 0xffff) == 0) arena_check();
  if (n > (size_t)1 << 30) {
    arena_exhausted = 1;
    __builtin_trap();
  }
  uint32_t class = class_of(n, &room);
  block *b = free_blocks[class];
  if (b) {
    free_blocks[class] = b->next;
    b->used = 1;
    return &b->next;
  }
  if (!top) begin();
  if (top + HEADER + room > limit) reserve(top + HEADER + room);
  b = (block *)top;
  top += HEADER + room;
  b->class = class;
  b->used = 1;
  return &b->next;
}

void free(void *p) {
  if (!p) return;
  block *b = (block *)((uintptr_t)p - HEADER);
  b->used = 0;
  b->next = free_blocks[b->class];
  free_blocks[b->class] = b;
}

void *calloc(size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) n = SIZE_MAX;
  return memset(malloc(n), 0, n);
}

void *realloc(void *p, size_t n) {
  if (!p) return malloc(n);
  block *b = (block *)((uintptr_t)p - HEADER);
  size_t had = room_of(b->class);
  if (n <= had) return p;
  void *q = malloc(n);
  memcpy(q, p, had);
  free(p);
  return q;
}

void *arena_text(size_t n) {
  void *p = (void *)top;
  uintptr_t end = (top + n + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  if (end > limit) reserve(end);
  top = blocks = end;
  return p;
}

void *arena_reallocate(void *p, size_t n) { return realloc(p, n); }

void arena_keep(void) {
  uintptr_t last = blocks;
  for (uintptr_t at = blocks; at < top;) {
    block *b = (block *)at;
    at += HEADER + room_of(b->class);
    if (b->used) last = at;
  }
  kept = top = last;
  memset(free_blocks, 0, sizeof free_blocks);
}

uintptr_t arena_kept(void) { return kept; }

void arena_reset(void) {
  if (!top) begin();
  top = blocks = kept;
  limit = __builtin_wasm_memory_size(0) * PAGE; // of this instance, not of the one that it is an image of
  memset(free_blocks, 0, sizeof free_blocks);
}
