package telemetry

import "encoding/json"

// listOverhead is the size of a result without the entries of its lists, in bytes, beyond the encoded
// result itself.
const listOverhead = 100

// room returns the bytes of the answer budget that remain for the entries of lists.
func (t *Telemetry) room(answer any) int { return t.limits.Answer - sizeOf(answer) - listOverhead }

// sizeOf returns the size of a value as JSON, in bytes.
func sizeOf(v any) int {
	data, _ := json.Marshal(v) // cannot fail: finite numbers and strings
	return len(data)
}

// selectEntries selects entries in the order of names until the next one exceeds room, in bytes. It
// returns the selection, the remaining bytes, and whether entries were left out.
func selectEntries[V any](room int, names []string, entries map[string]V) (shown map[string]V, left int, cut bool) {
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
