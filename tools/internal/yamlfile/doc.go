// Package yamlfile reads settings files in YAML 1.2 and changes single values in them. Comments,
// blank lines, order, quotes and line ends stay unchanged.
//
// [Decode] returns the values of a text as a config.Node. [Parse] returns a [Document], whose
// methods Set, Insert and Remove return a changed Document. The supported part of YAML is one
// document of mappings with string keys, lists and scalars, with anchors, aliases and merge keys,
// and without tags.
//
// A change edits the text at the offsets that the parser reports. The new text is parsed again, and
// the change is refused with [ErrByHand] if its effect differs from the requested one. Documents
// are immutable and safe for concurrent use.
package yamlfile
