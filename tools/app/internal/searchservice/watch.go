package searchservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/internal/notify"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/telemetry/alert"
	"github.com/dougu-go/dougu/tools/telemetry/health"
	"github.com/dougu-go/dougu/tools/telemetry/prometheus"
)

// The URL paths for monitoring.
const (
	metricsPath = "/metrics"
	livePath    = "/livez"   // 200 while the process serves HTTP
	readyPath   = "/readyz"  // 200 while every check passes, else 503 with the result of each
	healthPath  = "/healthz" // old name of readyPath
)

// severeFor is the time for which an error of high severity keeps its alert active.
const severeFor = 5 * time.Minute

// watch has the metrics, the health checks and the alerts of a server.
type watch struct {
	server   *Server
	metrics  http.Handler
	health   *health.Checker
	alerts   *alert.Watch // nil unless Purpose.Serves
	notifier *notify.Notifier
	severe   atomic.Int64 // time of the last error of high severity, in Unix nanoseconds
}

func newWatch(s *Server, serves bool) (_ *watch, err error) {
	w := &watch{server: s}
	log := s.service.log
	w.metrics = prometheus.Handler(prometheus.Options{Namespace: programName, Recorder: s.recorder, Sources: prometheus.Sources{
		Connections: func() prometheus.Connections { return prometheus.Connections(s.control.Stats()) },
		Breakers:    w.breakers, Indexes: w.indexes,
	}})
	if w.health, err = health.New(health.Options{Log: log, Checks: []health.Check{
		{Name: "mcp-server", Run: w.checkServer}, {Name: "rag-engine", Run: w.checkIndex},
		{Name: "plugins", Run: w.checkPlugins}, {Name: "connections", Run: w.checkConnections},
	}}); err != nil || !serves {
		return w, err
	}
	o := notify.Options{Name: programName, Log: log}
	for _, text := range s.service.Config().Monitoring.Alerts {
		target, err := notify.ParseTarget(text)
		if err != nil {
			return w, fmt.Errorf("monitoring.alerts: %w", err)
		}
		o.Targets = append(o.Targets, target)
	}
	w.notifier = notify.New(o)
	w.alerts, err = alert.New(alert.Options{
		Source: w.sample, Rules: append(alert.Defaults(), w.severeErrors()), Sinks: []alert.Sink{alert.Log(log), sendAlerts(w.notifier)}, Log: log,
	})
	return w, err
}

func (w *watch) sample() alert.Sample {
	sample := alert.RecorderSource(w.server.recorder)()
	sample.Connections = int64(w.server.control.Stats().Active)
	return sample
}

// severeErrors returns the rule that reports a single error of high severity.
func (w *watch) severeErrors() alert.Rule {
	return alert.Rule{
		Name: "Severe Errors", Message: "An error of high severity occurred; see the log", Severity: alert.High, Above: 0.5,
		Value: func(alert.Metrics) float64 {
			if at := w.severe.Load(); at != 0 && time.Since(time.Unix(0, at)) < severeFor {
				return 1
			}
			return 0
		},
		Show: func(v float64) string { return fmt.Sprint(v > 0) },
	}
}

// fault receives every error, and records errors of high severity for the alert.
func (w *watch) fault(_ context.Context, req *protocol.Request, f errorclass.Fault) {
	if f.Severity != errorclass.High && f.Severity != errorclass.Critical {
		return
	}
	w.severe.Store(time.Now().UnixNano())
	w.server.service.log.Error("a severe error", "method", req.Method, "code", f.Code, "severity", string(f.Severity), "retryable", f.Retryable, "message", f.Message)
}

// plugins returns the states of the plugins that are available before ctx ends.
func (w *watch) plugins(ctx context.Context) []search.PluginStatus {
	return w.server.service.set.Plugins(ctx)
}

func (w *watch) breakers() []prometheus.Breaker {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var all []prometheus.Breaker
	for _, p := range w.plugins(ctx) {
		all = append(all, prometheus.Breaker{Name: p.Name, State: p.Circuit})
	}
	return all
}

func (w *watch) indexes() []prometheus.Index {
	if w.server.service.files == nil {
		return nil
	}
	s := w.server.service.files.Status()
	return []prometheus.Index{{
		Name: pluginFilesystem, State: string(s.State), Files: s.Files, Pieces: s.Pieces, Pending: s.Pending, Source: s.Source, Disk: s.Disk, Checked: s.Checked,
	}}
}

func (w *watch) checkServer(ctx context.Context) (string, error) {
	tools := len(w.server.Tools())
	if tools == 0 {
		return "", errors.New("no tools are registered")
	}
	return fmt.Sprintf("%d tools", tools), ctx.Err()
}

func (w *watch) checkIndex(ctx context.Context) (string, error) {
	if w.server.service.files == nil {
		return "the plugin filesystem is not enabled", nil
	}
	s := w.server.service.files.Status()
	if s.State == plugin.Failed {
		return "", errors.New(s.Error)
	}
	return fmt.Sprintf("%s, %s, %d pending", s.State, plural.Count(s.Files, "file"), s.Pending), ctx.Err()
}

func (w *watch) checkPlugins(ctx context.Context) (string, error) {
	all := w.plugins(ctx)
	var failed []error
	for _, p := range all {
		if !p.Healthy {
			failed = append(failed, fmt.Errorf("%s: %s (circuit %s)", p.Name, p.Error, p.Circuit))
		}
	}
	return fmt.Sprintf("%d plugins", len(all)), errors.Join(failed...)
}

func (w *watch) checkConnections(context.Context) (string, error) {
	stats := w.server.control.Stats()
	return fmt.Sprintf("%d of %d", stats.Active, stats.Max), nil
}

// wrapMonitoring serves the monitoring paths and forwards all other requests to next.
func (s *Server) wrapMonitoring(next http.Handler) http.Handler {
	c := s.service.Config()
	if !c.Monitoring.Metrics {
		return next
	}
	policy := origin.Policy{Hosts: c.Transport.Hosts}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var handler http.Handler
		switch r.URL.Path {
		case metricsPath:
			handler = s.watch.metrics
		case livePath:
			handler = http.HandlerFunc(health.Live)
		case readyPath, healthPath:
			handler = s.watch.health
		default:
			next.ServeHTTP(w, r)
			return
		}
		if err := policy.Check(r); err != nil {
			origin.Forbid(w, err)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

func (w *watch) close(ctx context.Context) error {
	var failed []error
	if w.alerts != nil {
		failed = append(failed, w.alerts.Close(ctx))
	}
	if w.health != nil {
		failed = append(failed, w.health.Close(ctx))
	}
	if w.notifier != nil {
		failed = append(failed, w.notifier.Close(ctx))
	}
	return errors.Join(failed...)
}
