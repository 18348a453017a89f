package chunks

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// options are the values of the flags.
type options struct {
	extended      Options // not a flag
	roots         app.List
	readOnly      bool
	profile       string
	store         string
	data          string
	languages     string
	graph         bool
	watch         bool
	servers       bool
	trusted       bool
	sourceKitten  string
	precise       bool
	outputSchemas bool
}

// dirs are the directories that may be used.
func (o *options) dirs() []string {
	if len(o.roots) == 0 {
		return []string{"."}
	}
	return o.roots
}

// The stores.
const (
	storeJSON   = "json"
	storeSQLite = "sqlite"
	storeMemory = "memory"
)

// The profiles of tools.
const (
	profileFull   = "chunks"
	profileStrict = "chunks-strict"
)

// strictTools returns the tools of the chunks specification.
func strictTools() []string {
	return []string{"find_file", "find_function", "list_functions_in_file", "get_function_chunk", "analyze_project", "get_chunk"}
}

// addedStores returns the names of Options.Stores, sorted.
func (o *options) addedStores() []string { return slices.Sorted(maps.Keys(o.extended.Stores)) }

// check refuses flags that mean nothing, before anything is opened.
func (o *options) check() error {
	if o.profile != profileFull && o.profile != profileStrict {
		return fmt.Errorf("there is no profile %q; choose %s or %s", o.profile, profileFull, profileStrict)
	}
	own := []string{storeJSON, storeSQLite, storeMemory}
	for _, name := range o.addedStores() {
		if slices.Contains(own, name) || o.extended.Stores[name] == nil {
			return fmt.Errorf("the added store %q has no function, or the name of one of the stores %s", name, strings.Join(own, ", "))
		}
	}
	if all := append(o.addedStores(), own...); !slices.Contains(all, o.store) {
		return fmt.Errorf("there is no store %q; choose %s or %s", o.store, strings.Join(all[:len(all)-1], ", "), all[len(all)-1])
	}
	if o.data != "" && o.store != storeJSON {
		return fmt.Errorf("-data names the directory of the json store, and the store is %s; leave out one of them", o.store)
	}
	if o.trusted && !o.servers {
		return errors.New("-trust-project is about language servers; add -language-servers or leave it out")
	}
	for name := range strings.SplitSeq(o.languages, ",") {
		name = strings.TrimSpace(name)
		if _, ok := o.language(name); name != "" && !ok {
			return fmt.Errorf("there is no language %q; choose from %s", name, source.LanguageNames(append(source.Languages(), o.added()...)))
		}
	}
	if o.sourceKitten != "" {
		if _, err := exec.LookPath(o.sourceKitten); err != nil {
			return fmt.Errorf("-sourcekitten: %w; install SourceKitten (brew install sourcekitten) or leave the flag out: the built-in parsers read Swift too", err)
		}
	}
	return nil
}

// storeAdvice adds the next step to an error about the location of the index.
func (o *options) storeAdvice(err error) error {
	if o.store != storeJSON {
		return err
	}
	return fmt.Errorf("%w; check this path, or keep the index elsewhere with -data, -store sqlite or -store memory", err)
}

// parsers returns the additional parsers.
func (o *options) parsers() []source.Parser {
	if o.extended.Parsers == nil {
		return nil
	}
	return o.extended.Parsers()
}

// language returns the language with a name.
func (o *options) language(name string) (source.Language, bool) {
	if lang, ok := source.LanguageNamed(name); ok {
		return lang, true
	}
	p := builtin.Parsers(builtin.Options{First: o.parsers()})
	defer p.Close()
	return p.LanguageNamed(name)
}

// added returns the languages that parsers define.
func (o *options) added() []source.Language {
	p := builtin.Parsers(builtin.Options{First: o.parsers()})
	defer p.Close()
	return slices.DeleteFunc(p.Languages(), func(l source.Language) bool { return slices.Contains(source.Languages(), l) })
}
