// Package extension holds the extension of VS Code that package vscode connects to, and packs it into a .vsix file.
//
// The sources are TypeScript in the directory src. A build bundles them into dist/extension.js, which is committed, so that a program
// with this package needs no Node.js. [Write] packs the bundle with its manifest, readme and license. The same version gives the same
// bytes. VS Code and its relatives install the file with --install-extension.
package extension

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// ID is the name by which VS Code lists the extension: its publisher and its name.
const ID = "dougu-go.dougu"

// repository is the address of the repository, for links.
const repository = "https://github.com/dougu-go/dougu"

//go:embed package.json README.md LICENSE dist/extension.js
var files embed.FS

// semantic matches a semantic version without build metadata, which VS Code accepts.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

// Write writes the extension as a .vsix file. version is the version of the program that the extension belongs to, for example "1.2.3"
// or "1.2.3-rc.1".
func Write(w io.Writer, version string) error {
	fail := func(err error) error { return fmt.Errorf("packing the extension of VS Code: %w", err) }
	if !semantic.MatchString(version) {
		return fail(fmt.Errorf("%.100q is not a version such as 1.2.3", version))
	}
	content := make(map[string][]byte)
	for _, name := range []string{"package.json", "README.md", "LICENSE", "dist/extension.js"} {
		text, err := files.ReadFile(name)
		if err != nil {
			return fail(err)
		}
		content[name] = text
	}
	about, shipped, err := readManifest(content["package.json"], version)
	if err != nil {
		return fail(err)
	}
	description, err := marshalXML(about.description())
	if err != nil {
		return fail(err)
	}
	types, err := marshalXML(contentTypes())
	if err != nil {
		return fail(err)
	}
	// VS Code reads the first entry before the others.
	if err := writeZip(w, []entry{
		{"extension.vsixmanifest", description},
		{"[Content_Types].xml", types},
		{"extension/package.json", shipped},
		{"extension/readme.md", absoluteLinks(content["README.md"])},
		{"extension/LICENSE.txt", content["LICENSE"]},
		{"extension/dist/extension.js", content["dist/extension.js"]},
	}); err != nil {
		return fail(err)
	}
	return nil
}

// manifest is the part of package.json that the description of a .vsix file repeats.
type manifest struct {
	Name          string   `json:"name"`
	DisplayName   string   `json:"displayName"`
	Description   string   `json:"description"`
	Publisher     string   `json:"publisher"`
	Categories    []string `json:"categories"`
	Keywords      []string `json:"keywords"`
	ExtensionKind []string `json:"extensionKind"`
	Engines       struct {
		VSCode string `json:"vscode"`
	} `json:"engines"`

	version string // version of the program, which replaces the version of package.json
}

// readManifest parses package.json. shipped is the package.json of the .vsix file: it has the given version, and lacks the parts
// that only a build needs.
func readManifest(text []byte, version string) (about manifest, shipped []byte, err error) {
	if err := json.Unmarshal(text, &about); err != nil {
		return manifest{}, nil, err
	}
	about.version = version
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return manifest{}, nil, err
	}
	for _, name := range []string{"scripts", "devDependencies", "private"} {
		delete(all, name)
	}
	if all["version"], err = json.Marshal(version); err != nil {
		return manifest{}, nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return manifest{}, nil, err
	}
	return about, b.Bytes(), nil
}

// absoluteLinks returns the readme with links into the repository instead of links to files beside it, which a .vsix file lacks.
func absoluteLinks(readme []byte) []byte {
	const images = repository + "/raw/HEAD/tools/editor/vscode/extension/images/"
	return bytes.ReplaceAll(readme, []byte("](images/"), []byte("]("+images))
}

// entry is a file of a .vsix file.
type entry struct {
	name    string
	content []byte
}

// epoch is the time of all entries, the earliest one of the format.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writeZip writes entries in their order, all with one time.
func writeZip(w io.Writer, entries []entry) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(0o644)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// Description of a .vsix file, in the form that vsce, the official packer, writes.
type (
	packageManifest struct {
		XMLName      xml.Name     `xml:"http://schemas.microsoft.com/developer/vsx-schema/2011 PackageManifest"`
		Version      string       `xml:"Version,attr"`
		Metadata     metadata     `xml:"Metadata"`
		Installation installation `xml:"Installation"`
		Dependencies struct{}     `xml:"Dependencies"`
		Assets       []asset      `xml:"Assets>Asset"`
	}
	metadata struct {
		Identity     identity   `xml:"Identity"`
		DisplayName  string     `xml:"DisplayName"`
		Description  preserved  `xml:"Description"`
		Tags         string     `xml:"Tags"`
		Categories   string     `xml:"Categories"`
		GalleryFlags string     `xml:"GalleryFlags"`
		Properties   []property `xml:"Properties>Property"`
		License      string     `xml:"License"`
	}
	identity struct {
		Language  string `xml:"Language,attr"`
		ID        string `xml:"Id,attr"`
		Version   string `xml:"Version,attr"`
		Publisher string `xml:"Publisher,attr"`
	}
	preserved struct {
		Space string `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
		Text  string `xml:",chardata"`
	}
	property struct {
		ID    string `xml:"Id,attr"`
		Value string `xml:"Value,attr"`
	}
	installation struct {
		Target struct {
			ID string `xml:"Id,attr"`
		} `xml:"InstallationTarget"`
	}
	asset struct {
		Type        string `xml:"Type,attr"`
		Path        string `xml:"Path,attr"`
		Addressable bool   `xml:"Addressable,attr"`
	}
)

// description returns the content of extension.vsixmanifest.
func (m manifest) description() packageManifest {
	d := packageManifest{Version: "2.0.0"}
	d.Metadata = metadata{
		Identity:     identity{"en-US", m.Name, m.version, m.Publisher},
		DisplayName:  m.DisplayName,
		Description:  preserved{"preserve", m.Description},
		Tags:         strings.Join(m.Keywords, ","),
		Categories:   strings.Join(m.Categories, ","),
		GalleryFlags: "Public",
		License:      "extension/LICENSE.txt",
	}
	const code, services = "Microsoft.VisualStudio.Code.", "Microsoft.VisualStudio.Services."
	d.Metadata.Properties = []property{
		{code + "Engine", m.Engines.VSCode},
		{code + "ExtensionDependencies", ""},
		{code + "ExtensionPack", ""},
		{code + "ExtensionKind", cmp.Or(strings.Join(m.ExtensionKind, ","), "workspace")},
		{code + "LocalizedLanguages", ""},
		{code + "EnabledApiProposals", ""},
		{code + "ExecutesCode", "true"},
		{services + "Links.Source", repository + ".git"},
		{services + "Links.Getstarted", repository + ".git"},
		{services + "Links.GitHub", repository + ".git"},
		{services + "Links.Support", repository + "/issues"},
		{services + "Links.Learn", repository + "#readme"},
		{services + "GitHubFlavoredMarkdown", "true"},
		{services + "Content.Pricing", "Free"},
	}
	d.Installation.Target.ID = "Microsoft.VisualStudio.Code"
	d.Assets = []asset{
		{code + "Manifest", "extension/package.json", true},
		{services + "Content.Details", "extension/readme.md", true},
		{services + "Content.License", "extension/LICENSE.txt", true},
	}
	return d
}

// types has the media types of the files of a package.
type types struct {
	XMLName  xml.Name    `xml:"http://schemas.openxmlformats.org/package/2006/content-types Types"`
	Defaults []mediaType `xml:"Default"`
}

type mediaType struct {
	Extension   string `xml:"Extension,attr"`
	ContentType string `xml:"ContentType,attr"`
}

// contentTypes returns the content of [Content_Types].xml.
func contentTypes() types {
	return types{Defaults: []mediaType{
		{".json", "application/json"},
		{".vsixmanifest", "text/xml"},
		{".md", "text/markdown"},
		{".txt", "text/plain"},
		{".js", "application/javascript"},
	}}
}

// marshalXML returns a document with its declaration.
func marshalXML(v any) ([]byte, error) {
	text, err := xml.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}
