package schema

import "slices"

// splice applies edits to data. The edits are in order and do not overlap; base is the offset of
// data[0] in them.
func splice(data []byte, edits []edit, base int) []byte {
	size := len(data)
	for _, e := range edits {
		size += len(e.text) + 1
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(out, data[at:e.start-base]...)
		if e.comma {
			out = append(out, ',')
		}
		out = append(out, e.text...)
		at = e.end - base
	}
	return append(out, data[at:]...)
}

// declared returns edits with the forms that the schema declares.
func declared(edits []edit) []edit {
	forms := slices.Clone(edits)
	for k := range forms {
		if forms[k].declared != nil {
			forms[k].text = forms[k].declared
		}
	}
	return forms
}
