package filesystem_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
)

func TestFilesystem_Contract(t *testing.T) {
	plugintest.RunDocuments(t, func(t *testing.T) plugintest.Collection {
		p := newProject(t, nil)
		f, err := filesystem.New(tools.Env{Root: p.root}, filesystem.Options{Index: segment.NewMemory(), Parsers: source.NewParsers(), Interval: -1})
		if err != nil {
			t.Fatal(err)
		}
		return plugintest.Collection{Documents: f, Put: p.now, Remove: p.remove}
	})
}
