package editor

import (
	"log/slog"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor/unity"
)

// openUnity begins to look for Unity, where that is asked for.
func (s *service) openUnity(log *slog.Logger) (err error) {
	if !s.config.Unity.Enabled {
		return nil
	}
	if s.unity, err = unity.New(unity.Options{Root: s.root.Dirs()[0], Log: log}); err != nil {
		return err
	}
	s.adapters = append(s.adapters, s.unity)
	return nil
}

// openUnityTools makes the tools that need a running Unity editor.
func (s *service) openUnityTools(env tools.Env) error {
	if s.unity == nil {
		return nil
	}
	set, err := unity.NewTools(env, s.unity)
	if err != nil {
		return err
	}
	s.sets = append(s.sets, set)
	return nil
}
