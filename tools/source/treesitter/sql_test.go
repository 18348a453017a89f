package treesitter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestParse_SQL_Functions(t *testing.T) {
	src := `\echo Use "CREATE EXTENSION a" \quit
CREATE FUNCTION a(internal, int2[], anyelement)
RETURNS internal
AS 'MODULE_PATHNAME', 'a1'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE OR REPLACE FUNCTION s.b(x internal DEFAULT NULL, OUT y text) RETURNS record AS $$
BEGIN
  SELECT ';';
END; $$ LANGUAGE plpgsql;
CREATE PROCEDURE c(IN x int)
BEGIN
  IF x THEN SELECT 1; END IF;
  CASE x WHEN 1 THEN SELECT 2; END CASE;
END;
DELIMITER //
CREATE PROCEDURE d()
BEGIN
  SELECT '//';
END //
DELIMITER ;
CREATE TABLE e (x int);
`
	f, err := grammarsOf(t).Parse(t.Context(), []byte(src), "sql", source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, c := range f.Chunks {
		found = append(found, fmt.Sprintf("%d-%d %s", c.Line, c.EndLine, c.Path()))
	}
	if want := "2-5 a, 6-9 b, 10-14 c, 16-19 d, 21-21 e, 21-21 e.x"; strings.Join(found, ", ") != want || len(f.Problems) > 0 {
		t.Errorf("%s\nwant %s\n%+v", strings.Join(found, ", "), want, f.Problems)
	}
	if want := "CREATE FUNCTION a(internal, int2[], anyelement) RETURNS internal"; f.Chunks[0].Signature != want {
		t.Errorf("%q", f.Chunks[0].Signature)
	}
}

func TestParse_SQL_Hostile(t *testing.T) {
	for _, piece := range []string{"create function a(", "create function a() as $$", "create procedure a() begin ", "create function a() as '", "/*", "create function a();"} {
		src := strings.Repeat(piece, 500)
		if _, err := grammarsOf(t).Parse(t.Context(), []byte(src), "sql", source.Options{}); err != nil {
			t.Logf("%s: %v", piece, err)
		}
	}
}
