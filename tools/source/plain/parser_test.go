package plain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
	"github.com/dougu-go/dougu/tools/source/plain"
)

const proto = `syntax = "proto3";
// The package.
package shop.v1;
import "google/protobuf/any.proto";
import public "other.proto";
option go_package = "x/y;z";

// An order.
message Order {
  string id = 1 [deprecated = true, (rule) = {min: 1}];
  repeated Item items = 2; // inline
  map<string, int32> counts = 3;
  oneof payment { Card card = 4; string iban = 5; }
  reserved 6, 7 to 9;
  message Item { int32 n = 1; }
  enum State { option allow_alias = true; NEW = 0; DONE = 1 [deprecated = true]; }
  State state = 8;
}

/* Orders. */
service Orders {
  rpc Get(GetRequest) returns (stream Order);
  rpc Put(Order) returns (google.protobuf.Empty) {
    option (google.api.http) = { post: "/v1" body: "*" };
  }
}
extend google.protobuf.FieldOptions { string rule = 50000; }
message Old { repeated group Part = 1 { optional int32 size = 2; } }
message Empty {}
`

const schema = `"""
A user.
"""
type User implements Node & Named @key(fields: "id") {
  "The id."
  id: ID!
  posts(first: Int = 10, after: String): [Post!]! @auth(role: ADMIN)
  # a comment
  name: String
}
interface Node { id: ID! }
enum Role { ADMIN USER @deprecated }
input NewUser { name: String = "x", age: Int = -1, rate: Float = 0.5 }
union Result = User | Post
scalar Date @specifiedBy(url: "x")
extend type Query {
  user(id: ID!): User
}
directive @key(fields: String) repeatable on OBJECT | INTERFACE
schema { query: Query }
query GetUser($id: ID!) { user(id: $id) { id type } }
fragment F on User { id }
`

const script = `library(dplyr)
source("util.R")
#' Adds.
#'
#' @param x a number
add <- function(x, y = 2) {
  inner <- function(z) z * 2
  helper(inner(x)) +
    y
}
short = function(x) x + 1
lambda <- \(x) x
limit <- 3
"%+%" <- function(a, b) paste0(a, b)
Stack <- R6Class("Stack",
  public = list(
    items = NULL,
    push = function(x) {
      self$items <- c(self$items, x)
    },
    size = function() length(self$items)
  )
)
setGeneric("area", function(shape) standardGeneric("area"))
setClass("Point", representation(x = "numeric"))
setMethod("area", "Point", function(shape) {
  0
})
print.stack <- function(x, ...)
{
  cat("x")
}
if (TRUE) {
  conditional <- function() 1
}
`

// list renders the chunks of a file, each with its lines and kind.
func list(f *source.File) string {
	var b strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&b, "%d-%d %s %s\n", c.StartLine, c.EndLine, c.Kind, c.Path())
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "%d import %s\n", i.Line, i.Path)
	}
	return b.String()
}

func TestParse_Declarations(t *testing.T) {
	for _, test := range []struct {
		lang      source.Language
		src, want string
	}{
		{"proto", proto, `
2-3 module shop.v1
8-18 struct Order
10-10 property Order.id
11-11 property Order.items
12-12 property Order.counts
13-13 property Order.card
13-13 property Order.iban
15-15 struct Order.Item
15-15 property Order.Item.n
16-16 enum Order.State
16-16 enumCase Order.State.NEW
16-16 enumCase Order.State.DONE
17-17 property Order.state
20-26 interface Orders
22-22 method Orders.Get
23-25 method Orders.Put
27-27 extension google.protobuf.FieldOptions
27-27 property google.protobuf.FieldOptions.rule
28-28 struct Old
28-28 struct Old.Part
28-28 property Old.Part.size
29-29 struct Empty
4 import google/protobuf/any.proto
5 import other.proto
`},
		{"graphql", schema, `
1-10 class User
5-6 property User.id
7-7 method User.posts
8-9 property User.name
11-11 interface Node
11-11 property Node.id
12-12 enum Role
12-12 enumCase Role.ADMIN
12-12 enumCase Role.USER
13-13 struct NewUser
13-13 property NewUser.name
13-13 property NewUser.age
13-13 property NewUser.rate
14-14 typeAlias Result
15-15 typeAlias Date
16-18 extension Query
17-17 method Query.user
19-19 macro key
21-21 function GetUser
22-22 function F
`},
		{"r", script, `
3-10 function add
7-7 function add.inner
11-11 function short
12-12 function lambda
13-13 variable limit
14-14 function %+%
15-23 class Stack
18-20 method Stack.push
21-21 method Stack.size
24-24 function area
25-25 class Point
26-28 function area
29-32 function print.stack
34-34 function conditional
1 import dplyr
2 import util.R
`},
	} {
		t.Run(string(test.lang), func(t *testing.T) {
			f, err := plain.Parser{}.Parse(t.Context(), []byte(test.src), test.lang, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := parsertest.Invariants([]byte(test.src), f); err != nil {
				t.Error(err)
			}
			if got := list(f); got != strings.TrimPrefix(test.want, "\n") {
				t.Errorf("found\n%s\nwant%s", got, test.want)
			}
		})
	}
}

// A definition without a body ends before the next one.
func TestParse_GraphQLWithoutBody(t *testing.T) {
	f, err := plain.Parser{}.Parse(t.Context(), []byte("scalar A\nscalar B\ntype Query {\n  a: A\n}\n"), "graphql", source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := list(f), "1-1 typeAlias A\n2-2 typeAlias B\n3-5 class Query\n4-4 property Query.a\n"; got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
}

func TestParse_CallsOfR(t *testing.T) {
	f, err := plain.Parser{}.Parse(t.Context(), []byte("f <- function(x) {\n  g(x)\n}\nh()\n"), "r", source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.Calls); got != "[{g 2 0} {h 4 -1}]" {
		t.Errorf("calls %s", got)
	}
}

func TestParser(t *testing.T) {
	parsertest.Run(t, plain.Parser{}, []parsertest.Sample{
		{Language: "proto", Source: proto},
		{Language: "graphql", Source: schema},
		{Language: "r", Source: script},
		{Name: "protobuf broken", Language: "proto", Source: "message A {\n  string x = 1;\n", Broken: true},
		{Name: "graphql broken", Language: "graphql", Source: "type A {\n  x: Int\n", Broken: true},
		{Name: "r broken", Language: "r", Source: "f <- function(x) {\n  g(x\n}\n", Broken: true},
	})
}
