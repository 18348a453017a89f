package natstest

import (
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Cluster is several servers with JetStream, each of which can be disconnected from the others.
//
// Servers advertise their addresses to each other and to clients, and would connect around a
// disconnected relay. They therefore reach each other only through relays and advertise
// nothing else.
type Cluster struct {
	servers []*server.Server
	relays  map[[2]int]*relay // from one to another
}

// nowhere is an address without a listener.
const nowhere = "127.0.0.1:1"

// StartCluster starts n servers, which end with the test.
func StartCluster(t testing.TB, n int) *Cluster {
	t.Helper()
	c := &Cluster{relays: make(map[[2]int]*relay)}
	for from := range n {
		for to := range n {
			if from != to {
				c.relays[[2]int{from, to}] = startRelay(t)
			}
		}
	}
	for i := range n {
		opts := options(fmt.Sprintf("node%d", i), t.TempDir())
		opts.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT, Advertise: nowhere, NoAdvertise: true, PoolSize: -1}
		for to := range n {
			if to != i {
				opts.Routes = append(opts.Routes, &url.URL{Scheme: "nats-route", Host: c.relays[[2]int{i, to}].address()})
			}
		}
		s, err := server.NewServer(&opts)
		if err != nil {
			t.Fatalf("making a NATS server: %v", err)
		}
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		c.servers = append(c.servers, s)
		s.Start()
		for from := range n {
			if from != i {
				c.relays[[2]int{from, i}].lead(func() net.Addr { return clusterAddress(s) })
			}
		}
	}
	c.await(t)
	return c
}

// await waits until the servers have found each other and a leader.
func (c *Cluster) await(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(2 * patience)
	for _, s := range c.servers {
		for !s.JetStreamEnabled() || s.NumRoutes() < len(c.servers)-1 || !s.JetStreamIsCurrent() {
			if time.Now().After(deadline) {
				t.Fatal("the NATS servers do not find each other")
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// URL is where a server listens for clients.
func (c *Cluster) URL(i int) string { return c.servers[i].ClientURL() }

// Cut cuts a server off from all others.
func (c *Cluster) Cut(i int) { c.each(i, (*relay).cut) }

// Heal ends that.
func (c *Cluster) Heal(i int) { c.each(i, (*relay).heal) }

func (c *Cluster) each(i int, do func(*relay)) {
	for ends, r := range c.relays {
		if ends[0] == i || ends[1] == i {
			do(r)
		}
	}
}

// clusterAddress is where a server listens for others; nil if it does not yet.
func clusterAddress(s *server.Server) net.Addr {
	if a := s.ClusterAddr(); a != nil {
		return a
	}
	return nil
}
