package bridge_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

// Whatever arrives is an answer, an error, or nothing.
func FuzzAnswer(f *testing.F) {
	for _, payload := range []string{`{"status":"success","result":{"success":true,"data":[1]}}`, `{"status":"error","error":"no"}`, `{"status":7}`, "", "null"} {
		var frame bytes.Buffer
		if err := unitytest.Write(&frame, []byte(payload)); err != nil {
			f.Fatal(err)
		}
		f.Add(frame.Bytes())
	}
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01x"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		payload, err := bridge.ReadFrame(bytes.NewReader(data))
		if err != nil {
			return
		}
		if len(payload) == 0 || len(payload) > len(data)-8 {
			t.Fatalf("%d bytes out of %d", len(payload), len(data))
		}
		if answer, err := bridge.Decode(payload); (answer == nil) == (err == nil) {
			t.Errorf("%v, %v", answer, err)
		}
	})
}

func TestStatus_Project(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	slashed := filepath.ToSlash(dir)
	for assets, want := range map[string]string{
		slashed + "/Assets":      dir,
		slashed + "/Assets/":     dir,
		slashed + "/assets":      dir,
		slashed + "/x/../Assets": dir,
		slashed + "/none/Assets": "",
		slashed:                  "",
		"Assets":                 "",
		"../Assets":              "",
		"":                       "",
		"/a\x00/Assets":          "",
		"/" + strings.Repeat("a/", 3000) + "Assets": "",
	} {
		if got, err := bridge.ProjectOf(assets); got != want || (err == nil) != (want != "") {
			t.Errorf("%.60q: %q, %v; want %q", assets, got, err, want)
		}
	}
}
