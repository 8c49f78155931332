package collective_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/halo-xla/halo/xla/collective"
)

// Two groups of replicas, each of them on both partitions.
func ExampleGrid_Groups() {
	grid := collective.Grid{Replicas: 2, Partitions: 2}
	groups, err := grid.Groups(collective.CrossReplica, [][]int64{{1, 0}})
	fmt.Println(groups, err)
	// Output: [[2 0] [3 1]] <nil>
}

// Three devices meet: each brings its number, and all get the sum.
func ExampleHub_Meet() {
	hub := collective.NewHub(collective.Grid{Replicas: 3})
	sum := func(values []any) (any, error) {
		return values[0].(int) + values[1].(int) + values[2].(int), nil
	}
	results := make([]any, 3)
	var wg sync.WaitGroup
	for d := range results {
		wg.Go(func() {
			m := collective.Meeting{Op: "all-reduce.1", Group: []int{0, 1, 2}, Program: "all-reduce s64[]"}
			results[d], _ = hub.Meet(context.Background(), d, m, d+1, sum)
		})
	}
	wg.Wait()
	fmt.Println(results)
	// Output: [6 6 6]
}
