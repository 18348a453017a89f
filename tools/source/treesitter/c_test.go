package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestCSnippets(t *testing.T) { checkSnippets(t, source.C, cSnippets) }

func TestCCutShort(t *testing.T) { checkCut(t, source.C, cSnippets) }

func FuzzC(f *testing.F) { fuzzSnippets(f, source.C, cSnippets) }

var cSnippets = []snippet{{
	name: "functions", src: `
#include <stdio.h>
#include "own.h"
/* Adds. */
static inline struct s *add(int a,
	char b)
{
	int c = 1;
	return 0;
}
int proto(void), v;
int *pointer(int n);
int old(a, b)
	int a;
	char *b;
{ }
__attribute__((noreturn)) void die(void) { }
void (*signal(int sig, void (*f)(int)))(int) { }
int (name)(int x) { }
`, want: `
3-9 function add
10-10 function proto
10-10 variable v
11-11 function pointer
12-15 function old
16-16 function die
17-17 function signal
18-18 function name
1 import stdio.h
2 import own.h
`}, {
	name: "types", src: `
struct a { int x, *y; unsigned z : 3; int (*cb)(int); union { int u; } in; };
typedef struct {
	int p;
} point, *points;
typedef struct tag { int q; } tag_t;
enum e { A = 1, B };
enum { C };
union u { int i; } both;
struct forward;
typedef unsigned int u32, *pu32;
typedef int arr[3];
typedef void fn(int);
typedef int (*cmp)(const void *);
`, want: `
1-1 struct a
1-1 property a.x
1-1 property a.y
1-1 property a.z
1-1 property a.cb
1-1 property a.u
1-1 property a.in
2-4 struct point
3-3 property point.p
4-4 typeAlias points
5-5 struct tag
5-5 property tag.q
5-5 typeAlias tag_t
6-6 enum e
6-6 enumCase e.A
6-6 enumCase e.B
7-7 enumCase C
8-8 struct u
8-8 property u.i
8-8 variable both
10-10 typeAlias u32
10-10 typeAlias pu32
11-11 typeAlias arr
12-12 typeAlias fn
13-13 typeAlias cmp
`}, {
	name: "variables", src: `
int a = 1, *b, c[] = { 1, 2 };
static int (*table[3])(void);
extern const char *const names[];
struct s one = { 1 };
int f(void) { int local = 1; struct in { int x; } y; }
`, want: `
1-1 variable a
1-1 variable b
1-1 variable c
2-2 variable table
3-3 variable names
4-4 variable one
5-5 function f
5-5 struct f.in
5-5 property f.in.x
`}, {
	name: "macros", src: `
#define N 3
/* The larger one. */
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))
#define EMPTY
int after;
`, want: `
1-1 macro N
2-4 macro MAX
5-5 macro EMPTY
6-6 variable after
`}}
