package e2e

import (
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/search"
)

// testSearchKilled kills the server repeatedly during indexing. Indexed files remain indexed, and the next server continues.
func testSearchKilled(s *study) {
	const dirs, files = 20, 100
	s.mills(dirs, files)
	indexed := 0
	for round := range 8 {
		l := s.begin()
		status := consult[search.IndexStatus](s.t, l.client, "get_index_status", nil)
		if status.State == "failed" || status.Files < indexed && status.Files > 0 {
			s.t.Errorf("round %d: of %d files are there %+v", round, indexed, status)
		}
		// Each server is killed at another point of its work.
		if round > 0 {
			eventually(s.t, "some of the index", func() bool {
				status = consult[search.IndexStatus](s.t, l.client, "get_index_status", nil)
				return status.State == "ready" || status.Done > round*files || status.Files > round*files
			})
		}
		indexed = max(indexed, status.Files)
		l.kill()
		if told := strings.Join(l.stderr.all(s.t), "\n"); strings.Contains(told, "damage") || strings.Contains(told, "panic") {
			s.t.Errorf("round %d: it says\n%s", round, tail(told))
		}
	}
	l := s.begin()
	l.finds(`"Mill19x99()"`, "mills/d19/f99.go")
	l.finds(`"Mill7x42()"`, "mills/d7/f42.go")
	if status := l.ready(); status.Files < dirs*files {
		s.t.Errorf("there are %+v", status)
	}
	l.end()
}

// mills writes many files, each with its own function.
func (s *study) mills(dirs, files int) {
	s.t.Helper()
	for d := range dirs {
		tree := map[string]string{}
		for f := range files {
			name := fmt.Sprintf("Mill%dx%d", d, f)
			tree[fmt.Sprintf("mills/d%d/f%d.go", d, f)] = "package mills\n\n" + strings.Repeat("// "+name+" grinds the corn of somebody.\n", 20) + "func " + name + "() {}\n"
		}
		s.write(tree)
	}
}

// testTogether starts several servers concurrently, as an editor with several windows does, in a project without an index.
func testTogether(s *study) {
	s.mills(5, 100)
	var all []*librarian
	for range 3 {
		all = append(all, s.begin())
	}
	for _, l := range all {
		l.finds(`"Mill4x99()"`, "mills/d4/f99.go")
		l.finds(`"Mill0x0()"`, "mills/d0/f0.go")
	}
	s.write(map[string]string{"mills/new.go": "package mills\n\nfunc WindMill() {}\n"})
	for _, l := range all {
		l.finds(`"WindMill()"`, "mills/new.go")
	}
	for i, l := range all {
		l.end()
		s.write(map[string]string{"mills/new.go": fmt.Sprintf("package mills\n\nfunc WindMillAfter%d() {}\n", i)})
		for _, left := range all[i+1:] {
			left.finds(fmt.Sprintf(`"WindMillAfter%d()"`, i), "mills/new.go")
		}
	}
}
