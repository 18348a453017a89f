package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var builder Builder

func TestMain(m *testing.M) { builder.Main(m) }

func TestBuilder_Once(t *testing.T) {
	first := builder.Build(t, "../../../internal/test/covercheck", false)
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again := builder.Build(t, Module+"/internal/test/covercheck", false)
	after, err := os.Stat(again)
	if err != nil || again != first || !after.ModTime().Equal(before.ModTime()) || filepath.Base(first) != "covercheck" {
		t.Errorf("%s is built again as %s: %v", first, again, err)
	}
}

func TestBuilder_Missing(t *testing.T) {
	_, err := builder.once(key{pkg: "./missing"})()
	if err == nil || !strings.Contains(err.Error(), "build ./missing") {
		t.Errorf("the error is %v", err)
	}
}
