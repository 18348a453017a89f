package extension_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/vscode/extension"
)

// write returns the extension as a .vsix file.
func write(t *testing.T, version string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := extension.Write(&b, version); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack returns the files of a .vsix file, and their names in the order of the file.
func unpack(t *testing.T, vsix []byte) (files map[string][]byte, names []string) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(vsix), int64(len(vsix)))
	if err != nil {
		t.Fatal(err)
	}
	files = make(map[string][]byte)
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil { // reading checks the checksum
			t.Fatal(err)
		}
		if !f.Modified.Equal(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s has the time %s", f.Name, f.Modified)
		}
		names = append(names, f.Name)
	}
	return files, names
}

func TestWrite_Reproducible(t *testing.T) {
	one, other := write(t, "1.2.3"), write(t, "1.2.3")
	if !bytes.Equal(one, other) {
		t.Error("two files of one version differ")
	}
	if bytes.Equal(one, write(t, "1.2.4")) {
		t.Error("two versions give one file")
	}
	if len(one) > 100<<10 {
		t.Errorf("the file has %d bytes, which every program carries", len(one))
	}
}

func TestWrite_Content(t *testing.T) {
	files, names := unpack(t, write(t, "1.2.3-rc.1"))
	want := []string{
		"extension.vsixmanifest", "[Content_Types].xml", "extension/package.json", "extension/readme.md", "extension/LICENSE.txt", "extension/dist/extension.js",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the files are %q, want %q", names, want)
	}
	for inside, outside := range map[string]string{"extension/dist/extension.js": "dist/extension.js", "extension/LICENSE.txt": "LICENSE"} {
		text, err := os.ReadFile(outside)
		if err != nil || !bytes.Equal(text, files[inside]) {
			t.Errorf("%s is not %s: %v", inside, outside, err)
		}
	}
	if readme := string(files["extension/readme.md"]); strings.Contains(readme, "](images/") || !strings.Contains(readme, "/raw/HEAD/tools/editor/vscode/extension/images/window.png)") {
		t.Errorf("the readme links to a file that is not packed:\n%s", readme)
	}
	var shipped map[string]any
	if err := json.Unmarshal(files["extension/package.json"], &shipped); err != nil {
		t.Fatal(err)
	}
	if shipped["version"] != "1.2.3-rc.1" || shipped["main"] != "./dist/extension.js" || shipped["publisher"].(string)+"."+shipped["name"].(string) != extension.ID {
		t.Errorf("package.json has version %v, main %v, publisher %v, name %v", shipped["version"], shipped["main"], shipped["publisher"], shipped["name"])
	}
	for _, name := range []string{"scripts", "devDependencies", "private"} {
		if shipped[name] != nil {
			t.Errorf("package.json has %s, which only a build needs", name)
		}
	}
}

// The description of the package has the fields that vsce writes, the packer of VS Code.
func TestWrite_Description(t *testing.T) {
	files, names := unpack(t, write(t, "1.2.3"))
	var d struct {
		Version  string `xml:",attr"`
		Metadata struct {
			Identity struct {
				Language  string `xml:",attr"`
				ID        string `xml:"Id,attr"`
				Version   string `xml:",attr"`
				Publisher string `xml:",attr"`
			}
			DisplayName, License string
			Properties           []struct {
				ID    string `xml:"Id,attr"`
				Value string `xml:",attr"`
			} `xml:"Properties>Property"`
		}
		Target struct {
			ID string `xml:"Id,attr"`
		} `xml:"Installation>InstallationTarget"`
		Assets []struct {
			Type string `xml:",attr"`
			Path string `xml:",attr"`
		} `xml:"Assets>Asset"`
	}
	if err := xml.Unmarshal(files["extension.vsixmanifest"], &d); err != nil {
		t.Fatal(err)
	}
	if i := d.Metadata.Identity; i.Publisher+"."+i.ID != extension.ID || i.Version != "1.2.3" || i.Language != "en-US" {
		t.Errorf("the identity is %+v", i)
	}
	properties := make(map[string]string)
	for _, p := range d.Metadata.Properties {
		properties[p.ID] = p.Value
	}
	for id, want := range map[string]string{"Engine": "^1.80.0", "ExtensionKind": "workspace", "ExecutesCode": "true"} {
		if got := properties["Microsoft.VisualStudio.Code."+id]; got != want {
			t.Errorf("the property %s is %q, want %q", id, got, want)
		}
	}
	if d.Version != "2.0.0" || d.Target.ID != "Microsoft.VisualStudio.Code" || d.Metadata.DisplayName != "Dougu" {
		t.Errorf("%+v", d)
	}
	referred := []string{d.Metadata.License}
	for _, a := range d.Assets {
		referred = append(referred, a.Path)
	}
	if len(d.Assets) != 3 {
		t.Errorf("the assets are %v", d.Assets)
	}
	for _, name := range referred {
		if !slices.Contains(names, name) {
			t.Errorf("the description refers to %q, which is not packed", name)
		}
	}
	if err := xml.Unmarshal(files["[Content_Types].xml"], new(struct{})); err != nil {
		t.Error(err)
	}
}

func TestWrite_InvalidVersion(t *testing.T) {
	for _, version := range []string{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3+dirty", "1.2.3-", "1.2.3\n", "(devel)", `1.2.3"/>`} {
		if err := extension.Write(io.Discard, version); err == nil || !strings.Contains(err.Error(), "is not a version") {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWrite_FullDisk(t *testing.T) {
	if err := extension.Write(full{}, "1.2.3"); err == nil {
		t.Error("nothing was written, and there is no error")
	}
}
