package rank_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

// A query names a function: its definition ranks first, and its test last.
func Example() {
	q := rank.Parse("parseURL")
	asked := q.Index(index.Filter{Languages: []string{"go"}}, 50)
	fmt.Println(q.Shape, len(asked.Terms), "terms")

	found := index.Found{Candidates: []index.Candidate{ // the result of an index
		{File: index.Known{Path: "url_test.go"}, Piece: index.Piece{Kind: "function", Name: "TestParseURL"}, Score: 9, Matched: 7},
		{File: index.Known{Path: "client.go"}, Piece: index.Piece{Kind: "method", Name: "open", Container: "Client"}, Score: 8, Matched: 7},
		{File: index.Known{Path: "url.go"}, Piece: index.Piece{Kind: "function", Name: "parseURL"}, Score: 7, Matched: 7},
	}}
	for _, r := range rank.Order(q, found, rank.Options{Limit: 2}) {
		fmt.Println(r.File.Path, r.Piece.Name, r.Why)
	}
	// Output:
	// symbol 3 terms
	// url.go parseURL defines parseURL
	// client.go open
}
