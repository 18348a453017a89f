// Package yamlfile reads files of settings in YAML 1.2, and changes single values
// of them without touching anything else: comments, blank lines, the order of
// things, quotes and line ends stay as a person wrote them.
//
// The part of YAML that it reads is that of settings: one document of mappings with
// names, lists and scalars, with anchors, aliases and merge keys, and without tags.
// A change is made in the text itself, at the places that the parser tells; then the
// text is read again, and a change that would have had any other effect than the one
// that was asked for is refused.
package yamlfile
