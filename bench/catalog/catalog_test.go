package catalog_test

import (
	"reflect"
	"testing"

	"github.com/dougu-go/dougu/bench/catalog"
)

func TestGreet_Deep(t *testing.T) {
	t.Parallel()
	args := catalog.GreetArgs{Name: "Ada", Count: 3, Tags: []string{"a", "b"}}
	want := catalog.Greeting{Greeting: "Hello, Ada", Total: 3, Tags: []string{"a", "b"}}
	if got := catalog.Greet(args); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	args.Opt.Deep = true
	if got := catalog.Greet(args).Total; got != 5 {
		t.Errorf("the deep total is %d, want 5", got)
	}
}

func TestSearch_Limit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 20: 20, 1000: 20} {
		if got := len(catalog.Search(catalog.SearchArgs{Limit: limit}).Hits); got != want {
			t.Errorf("a limit of %d gave %d hits, want %d", limit, got, want)
		}
	}
}

func TestSearch_IndependentResults(t *testing.T) {
	t.Parallel()
	catalog.Search(catalog.SearchArgs{Limit: 1}).Hits[0].Path = "changed"
	if catalog.Search(catalog.SearchArgs{Limit: 1}).Hits[0].Path == "changed" {
		t.Error("an answer shares its hits with the next one")
	}
}

func TestSearch_Hits(t *testing.T) {
	t.Parallel()
	for _, hit := range catalog.Search(catalog.SearchArgs{Limit: catalog.MaxHits}).Hits {
		if n := len(hit.Snippet); n < 60 || n > 105 {
			t.Errorf("the snippet of %s:%d has %d bytes, want about 80", hit.Path, hit.Line, n)
		}
	}
}

func TestSize_Bytes(t *testing.T) {
	t.Parallel()
	if got := catalog.Size(catalog.SizeArgs{Text: "道具"}).Bytes; got != 6 {
		t.Errorf("got %d bytes, want 6", got)
	}
}

func TestNoops_Total(t *testing.T) {
	t.Parallel()
	for _, total := range []int{3, 4, 50, 102} {
		noops, err := catalog.Noops(total)
		if err != nil {
			t.Fatal(err)
		}
		names := make(map[string]bool)
		for _, n := range noops {
			if n.Description == "" {
				t.Errorf("%s has no description", n.Name)
			}
			names[n.Name] = true
		}
		if len(names) != total-3 {
			t.Errorf("for %d tools there are %d different noops, want %d", total, len(names), total-3)
		}
	}
	for _, total := range []int{-1, 2, 103} {
		if _, err := catalog.Noops(total); err == nil {
			t.Errorf("a list of %d tools was filled", total)
		}
	}
}
