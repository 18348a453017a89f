// The memory of one text at a time: what was allocated since arena_keep is
// thrown away at once by arena_reset.
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

extern int arena_exhausted;

// Allocations and the bytes that are read are counted; now and then arena_check
// asks the host whether to go on.
extern uint32_t arena_steps;
void arena_check(void);

void *arena_text(size_t n); // right after arena_reset
void *arena_reallocate(void *p, size_t n);
void arena_keep(void);
uintptr_t arena_kept(void);
void arena_reset(void);

#endif
