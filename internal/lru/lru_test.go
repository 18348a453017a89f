package lru_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dougu-go/dougu/internal/lru"
)

func TestCache_KeepsLastUsed(t *testing.T) {
	c := lru.Cache[string, int]{MaxEntries: 2, MaxSize: 10}
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	c.Get("a")
	c.Put("c", 3, 4)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is kept: %v", key, ok)
		}
	}
	c.Put("a", 9, 10) // for which the other must go
	if v, ok := c.Get("a"); v != 9 || !ok || c.Len() != 1 || c.Size() != 10 {
		t.Errorf("a is %d, %v; %d values of %d", v, ok, c.Len(), c.Size())
	}
	c.Put("a", 10, 11) // too large, and the old value is outdated
	if _, ok := c.Get("a"); ok || c.Len() != 0 || c.Size() != 0 {
		t.Errorf("%d values of %d are left", c.Len(), c.Size())
	}
}

func TestCache_ZeroBounds(t *testing.T) {
	var c lru.Cache[string, string]
	c.Put("a", "x", 0)
	c.Delete("b")
	if _, ok := c.Get("a"); ok || c.Len() != 0 {
		t.Error("a is kept")
	}
}

// A list that is searched from its end is the same.
func TestCache_MatchesModel(t *testing.T) {
	type value struct {
		key  string
		n    int
		size int
	}
	random := rand.New(rand.NewPCG(1, 2))
	c := lru.Cache[string, int]{MaxEntries: 5, MaxSize: 20}
	var model []value // the one used last at the end
	index := func(key string) int { return slices.IndexFunc(model, func(v value) bool { return v.key == key }) }
	for n := range 5000 {
		key := strconv.Itoa(random.IntN(9))
		at := index(key)
		switch random.IntN(6) {
		case 0:
			c.Delete(key)
			model = slices.DeleteFunc(model, func(v value) bool { return v.key == key })
		case 1:
			c.DeleteFunc(func(_ string, n int) bool { return n%7 == 0 })
			model = slices.DeleteFunc(model, func(v value) bool { return v.n%7 == 0 })
		case 2, 3:
			size := random.IntN(23)
			c.Put(key, n, size)
			model = slices.DeleteFunc(model, func(v value) bool { return v.key == key })
			if size <= 20 {
				model = append(model, value{key, n, size})
			}
			for sum(model, func(v value) int { return v.size }) > 20 || len(model) > 5 {
				model = model[1:]
			}
		default:
			got, ok := c.Get(key)
			if ok != (at >= 0) || ok && got != model[at].n {
				t.Fatalf("step %d: %s is %d, %v; the list has %v", n, key, got, ok, model)
			}
			if ok {
				v := model[at]
				model = append(slices.Delete(model, at, at+1), v)
			}
		}
		if c.Len() != len(model) || c.Size() != sum(model, func(v value) int { return v.size }) {
			t.Fatalf("step %d: %d values of %d; the list has %v", n, c.Len(), c.Size(), model)
		}
	}
}

func sum[T any](list []T, of func(T) int) (n int) {
	for _, v := range list {
		n += of(v)
	}
	return n
}
