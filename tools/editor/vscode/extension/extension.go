// Package extension holds the extension of VS Code that package vscode connects to, and packs it into a .vsix file.
//
// The sources are TypeScript in the directory src. A build bundles them into dist/extension.js, which is committed, so that a program
// with this package needs no Node.js. [Write] packs the bundle with its manifest, readme and license. The same version gives the same
// bytes. VS Code and its relatives install the file with --install-extension.
package extension

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"embed"
	"encoding/json"
	"fmt"
	"html"
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
	// VS Code reads the first entry before the others.
	if err := writeZip(w, []entry{
		{"extension.vsixmanifest", about.description()},
		{"[Content_Types].xml", []byte(contentTypes)},
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

// descriptionFormat is the content of extension.vsixmanifest, as vsce writes it, the packer of VS Code. Names in braces are replaced.
const descriptionFormat = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{title}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Tags></Tags>
    <Categories>{categories}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionDependencies" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionPack" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="{kind}"/>
      <Property Id="Microsoft.VisualStudio.Code.LocalizedLanguages" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.EnabledApiProposals" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExecutesCode" Value="true"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Source" Value="{repository}.git"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Getstarted" Value="{repository}.git"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.GitHub" Value="{repository}.git"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Support" Value="{repository}/issues"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Learn" Value="{repository}#readme"/>
      <Property Id="Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown" Value="true"/>
      <Property Id="Microsoft.VisualStudio.Services.Content.Pricing" Value="Free"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/readme.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`

// contentTypes is the content of [Content_Types].xml, the media types of the files.
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
`

// description returns the content of extension.vsixmanifest.
func (m manifest) description() []byte {
	values := []string{
		"{name}", m.Name, "{version}", m.version, "{publisher}", m.Publisher, "{title}", m.DisplayName, "{description}", m.Description,
		"{categories}", strings.Join(m.Categories, ","), "{engine}", m.Engines.VSCode, "{kind}", strings.Join(m.ExtensionKind, ","), "{repository}", repository,
	}
	for i := 1; i < len(values); i += 2 {
		values[i] = html.EscapeString(values[i])
	}
	return []byte(strings.NewReplacer(values...).Replace(descriptionFormat))
}
