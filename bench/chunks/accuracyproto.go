package main

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// protoTruth returns the messages, enumerations, services, methods, fields and values that the compiler protoc finds. A file whose imports
// are missing has none.
func protoTruth(ctx context.Context, dir string, names []string) (map[string][]extent, error) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		return nil, err
	}
	roots := []string{"-I."}
	for _, name := range names {
		if root, ok := protoRoot(dir, name); ok && !slices.Contains(roots, "-I"+root) {
			roots = append(roots, "-I"+root)
		}
	}
	found := map[string][]extent{}
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		compile := exec.CommandContext(ctx, protoc, append(slices.Clone(roots), "--include_source_info", "--descriptor_set_out=/dev/stdout", name)...)
		compile.Dir = dir
		set, err := compile.Output()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		found[name] = protoExtents(src, set)
	}
	return found, nil
}

// protoRoot returns the directory to which the imports of a file are relative: the part of its name before the directories of its package.
func protoRoot(dir, name string) (string, bool) {
	src, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(src)) {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ';' || r == '\n' || r == '\r' })
		if len(fields) < 2 || fields[0] != "package" {
			continue
		}
		root, ok := strings.CutSuffix(filepath.ToSlash(filepath.Dir(name)), "/"+strings.ReplaceAll(fields[1], ".", "/"))
		return root, ok && root != ""
	}
	return "", false
}

// protoExtents reads the locations of declarations from a FileDescriptorSet: path and span, whose numbers are fields of descriptor.proto. The
// span of a name has the path of the declaration and the number 1.
func protoExtents(src, set []byte) []extent {
	lines := strings.Split(string(src), "\n")
	spans := map[string][]int{} // by path
	var names []string
	const file, sourceInfo, location = 1, 9, 1
	for _, file := range protoFields(set, file) {
		for _, info := range protoFields(file, sourceInfo) {
			for _, location := range protoFields(info, location) {
				var path []string
				for _, number := range protoNumbers(location, 1) {
					path = append(path, strconv.Itoa(number))
				}
				spans[strings.Join(path, " ")] = protoNumbers(location, 2)
				if len(path) > 0 && path[len(path)-1] == "1" && isProtoDeclaration(path[:len(path)-1]) {
					names = append(names, strings.Join(path[:len(path)-1], " "))
				}
			}
		}
	}
	var found []extent
	for _, declaration := range names {
		name, whole := spans[declaration+" 1"], spans[declaration]
		if len(name) != 3 || len(whole) < 3 || name[0] >= len(lines) || name[2] > len(lines[name[0]]) {
			continue
		}
		last := whole[0]
		if len(whole) == 4 {
			last = whole[2]
		}
		found = append(found, extent{lines[name[0]][name[1]:name[2]], name[0] + 1, last + 1})
	}
	return found
}

// isProtoDeclaration reports whether a path of descriptor.proto is that of a message, a field, an enumeration, a value, a service or a method.
func isProtoDeclaration(path []string) bool {
	if len(path) < 2 || len(path)%2 != 0 {
		return false
	}
	in := "file"
	for i := 0; i < len(path); i += 2 {
		switch in + " " + path[i] {
		case "file 4", "message 3":
			in = "message"
		case "file 5", "message 4":
			in = "enum"
		case "file 6":
			in = "service"
		case "message 2", "message 6", "file 7", "enum 2", "service 2":
			in = "member"
		default:
			return false
		}
	}
	return true
}

// protoFields returns the content of the fields with a number and a length in a message in the binary format.
func protoFields(message []byte, number uint64) (all [][]byte) {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return all
		}
		message = message[n:]
		value, n := binary.Uvarint(message)
		if n <= 0 {
			return all
		}
		message = message[n:]
		if tag&7 != 2 {
			continue // a number: descriptors have no fields of a fixed size
		}
		if value > uint64(len(message)) {
			return all
		}
		if tag>>3 == number {
			all = append(all, message[:value])
		}
		message = message[value:]
	}
	return all
}

// protoNumbers returns the numbers in the packed fields with a number.
func protoNumbers(message []byte, number uint64) (all []int) {
	for _, packed := range protoFields(message, number) {
		for len(packed) > 0 {
			value, n := binary.Uvarint(packed)
			if n <= 0 {
				return all
			}
			all, packed = append(all, int(value)), packed[n:]
		}
	}
	return all
}
