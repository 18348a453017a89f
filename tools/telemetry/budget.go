package telemetry

import "encoding/json"

// frame is what the lists of an answer take beside their entries, in bytes.
const frame = 100

// room is what an answer leaves of its budget for the entries of its lists, in bytes.
func (t *Telemetry) room(answer any) int { return t.limits.Answer - sizeOf(answer) - frame }

// sizeOf is the size of a value as JSON.
func sizeOf(v any) int {
	data, _ := json.Marshal(v) // numbers that JSON has, and text
	return len(data)
}

// fitEntries takes as many entries as there is room for, in the order of their names as given. It returns what room is left, and
// whether entries were left out.
func fitEntries[V any](room int, names []string, entries map[string]V) (shown map[string]V, left int, cut bool) {
	shown = make(map[string]V, len(names))
	for _, name := range names {
		size := sizeOf(name) + sizeOf(entries[name]) + 2 // the colon and the comma
		if size > room {
			return shown, room, true
		}
		room -= size
		shown[name] = entries[name]
	}
	return shown, room, false
}
