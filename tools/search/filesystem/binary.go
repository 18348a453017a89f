package filesystem

import (
	"path"
	"strings"
)

// isBinaryName reports whether the extension of a file marks it as binary.
func isBinaryName(name string) bool {
	ext := path.Ext(name)
	return len(ext) > 1 && binaryExtensions[strings.ToLower(ext[1:])]
}

// binaryExtensions are extensions of binary files, without a dot.
var binaryExtensions = func() map[string]bool {
	set := map[string]bool{}
	for ext := range strings.FieldsSeq(`
		7z a aac ai apk app ar avi avif bin blend bmp br bz2 cab class cur db deb dex dll dmg doc docx dylib
		eot exe fbx fla flac flv gif glb gz heic heif ico icns idx iso jar jpeg jpg jks ko la lib lz lz4 lzma lzo
		m4a m4v mkv mo mov mp3 mp4 mpeg mpg msi node nupkg o obj odp ods odt ogg ogv onnx opus otf pack parquet
		pch pdb pdf pickle pkl png ppt pptx psd pyc pyd pyo rar rlib rmeta rpm sketch snap so sqlite sqlite3 swf tar tgz
		tif tiff ttc ttf unitypackage war wasm wav webm webp whl wma wmv woff woff2 xls xlsx xz zip zst`) {
		set[ext] = true
	}
	return set
}()
