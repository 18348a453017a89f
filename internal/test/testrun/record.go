package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// recorder keeps the records of one CI run in a directory. Stages run one after the other, so it does not lock.
type recorder struct{ dir string }

// stageTime is the duration of a stage.
type stageTime struct {
	Name    string
	Seconds int
}

// flakyTest is a test that failed once and then passed every repetition.
type flakyTest struct {
	Stage, Package, Test string
	Seed                 string // of the order of the tests, for -shuffle; "" if unknown
	Failed               string // output of the failed test
	Passed               string // output of its last repetition
}

const (
	stagesFile = "stages.json"
	flakyFile  = "flaky.json"
	logSuffix  = ".events.json" // after the name of a stage
)

func (r recorder) addStage(name string, d time.Duration) error {
	return appendRecord(filepath.Join(r.dir, stagesFile), stageTime{name, int(d / time.Second)})
}

func (r recorder) stages() ([]stageTime, error) {
	return readRecords[stageTime](filepath.Join(r.dir, stagesFile))
}

func (r recorder) addFlaky(t flakyTest) error {
	return appendRecord(filepath.Join(r.dir, flakyFile), t)
}

func (r recorder) flaky() ([]flakyTest, error) {
	return readRecords[flakyTest](filepath.Join(r.dir, flakyFile))
}

// createLog creates the event log of a stage.
func (r recorder) createLog(stage string) (*os.File, error) {
	return os.Create(filepath.Join(r.dir, stage+logSuffix))
}

// eachEvent calls yield for every event of every stage, with the name of the stage.
func (r recorder) eachEvent(yield func(stage string, e event)) error {
	names, err := filepath.Glob(filepath.Join(r.dir, "*"+logSuffix))
	if err != nil {
		return err
	}
	for _, name := range names {
		log, err := os.Open(name)
		if err != nil {
			return err
		}
		stage := strings.TrimSuffix(filepath.Base(name), logSuffix)
		err = readEvents(log, func(e event) { yield(stage, e) })
		if err = errors.Join(err, log.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// appendRecord adds a value to a file of JSON lines.
func appendRecord(path string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// readRecords reads a file of JSON lines. A file that does not exist has no records.
func readRecords[T any](path string) ([]T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []T
	for line := range strings.Lines(string(data)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, v)
	}
	return all, nil
}
