package config_test

import (
	"errors"
	"flag"
	"io"
	"io/fs"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is the configuration of these tests.
type house struct {
	name   string
	rooms  int
	size   int64
	colour string
	lit    bool
	guests []string
	pets   []string
}

// keys are the keys of the table of the tests.
type keys struct {
	name *config.Key[house]
	lit  *config.Key[house]
	pets *config.ListKey[house]
}

func table() (*config.Table[house], keys) {
	k := keys{
		name: config.NewKey("name", func(h *house) *string { return &h.name }, "home", config.Text(1, 10), "what it is called"),
		lit:  config.NewSwitch("inside.lights.areOn", func(h *house) *bool { return &h.lit }, false, "whether there is light"),
		pets: config.NewList("inside.pets", func(h *house) *[]string { return &h.pets }, nil, config.ListOf(config.OneOf("cat", "dog", "bird"), 2), "the `animals` in it"),
	}
	return config.NewTable(config.Options{
		Prefix: "HOUSE_", Title: "A house", Others: []string{"HOUSE_OF_ANOTHER"}, Synonyms: map[string]string{"HOUSE_CALLED": "HOUSE_NAME"},
		Mask: func(name, value string) string { return strings.ReplaceAll(value, "hunter2", "[redacted]") },
	},
		k.name,
		config.NewKey("inside.roomCount", func(h *house) *int { return &h.rooms }, 4, config.Whole(1, 100), "`number` of rooms").Alias("rooms"),
		config.NewKey("inside.size", func(h *house) *int64 { return &h.size }, 1<<40, config.Whole[int64](0, 1<<50), "how large it is").Unwritten(),
		config.NewKey("outside.colour", func(h *house) *string { return &h.colour }, "red", config.OneOf("red", "green"), "its colour"),
		k.lit,
		config.NewList("inside.guests", func(h *house) *[]string { return &h.guests }, []string{"ada", "bob"}, config.ListOf(config.Text(1, 5), 3), "who is there").Key,
		k.pets.Key,
	), k
}

// given are the sources of a test.
type given struct {
	file  string // empty: none
	env   []string
	flags []string
}

func load(t testing.TB, g given) *config.Loaded[house] {
	t.Helper()
	houses, _ := table()
	return loadFrom(t, houses, g)
}

func loadFrom(t testing.TB, houses *config.Table[house], g given) *config.Loaded[house] {
	t.Helper()
	set := flag.NewFlagSet("house", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	flags := houses.Flags(set)
	if err := set.Parse(g.flags); err != nil {
		t.Fatal(err)
	}
	err := error(nil)
	if g.file == "" {
		err = errors.Join(fs.ErrNotExist)
	}
	return houses.Load(houses.File("house.json", []byte(g.file), err, config.JSON), houses.Environment(g.env), flags.Layer())
}

// told are the problems, a line each.
func told(l *config.Loaded[house]) string {
	if err := l.Err(); err != nil {
		return err.Error()
	}
	return ""
}
