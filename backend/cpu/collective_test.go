package cpu_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// reducers are computations for texts; subtract shows the order.
const reducers = `
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
mean { a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) h = f32[] constant(0.5) ROOT r = f32[] multiply(s, h) }
maxs { a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = s8[] maximum(a, b) }
or { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] or(a, b) }
times { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] multiply(a, b) }
halves { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
`

// onGrid compares entry, given as its body, on replicas x partitions devices with arguments of their own.
func onGrid(t *testing.T, body string, replicas, partitions int, params ...shape.Shape) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	p := program{text: reducers + "ENTRY e {\n" + body + "\n}"}
	p.run.Replicas, p.run.Partitions = replicas, partitions
	for range replicas * partitions {
		var args []*literal.Literal
		for _, s := range params {
			args = append(args, random(r, s))
		}
		p.devices = append(p.devices, args)
	}
	agree(t, p)
}

func TestAllReduce(t *testing.T) {
	f := shape.Array(shape.F32, 5001)
	for _, groups := range []string{"{}", "{{0,1,2,3}}", "{{3,1},{2,0}}", "{{0,2},{1,3}}"} {
		for _, c := range []string{"add", "sub", "mean"} {
			onGrid(t, fmt.Sprintf("p = f32[5001] parameter(0)\nROOT r = f32[5001] all-reduce(p), replica_groups=%s, to_apply=%s",
				groups, c), 4, 1, f)
			if groups != "{}" {
				onGrid(t, fmt.Sprintf(`p = f32[5001] parameter(0)
s = f32[5001] all-reduce-start(p), channel_id=3, use_global_device_ids=true, replica_groups=%s, to_apply=%s
ROOT r = f32[5001] all-reduce-done(s)`, groups, c), 2, 2, f)
			}
		}
	}
	onGrid(t, `p = s8[3,2] parameter(0)
q = s8[0] parameter(1)
ROOT r = (s8[3,2], s8[0]) all-reduce(p, q), channel_id=1, replica_groups={{0,1}}, to_apply=maxs`, 2, 3,
		shape.Array(shape.S8, 3, 2), shape.Array(shape.S8, 0))
	onGrid(t, "p = pred[7] parameter(0)\nROOT r = pred[7] all-reduce(p), replica_groups={}, to_apply=or", 3, 1,
		shape.Array(shape.Pred, 7))
	onGrid(t, "p = c64[] parameter(0)\nROOT r = c64[] all-reduce(p), replica_groups={}, to_apply=times", 3, 1,
		shape.Array(shape.C64))
	onGrid(t, "p = bf16[9] parameter(0)\nROOT r = bf16[9] all-reduce(p), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=halves", 4, 1,
		shape.Array(shape.BF16, 9))
}

func TestReduceScatter(t *testing.T) {
	for _, dim := range []int{0, 1, 2} {
		dims := []int{4, 8, 12}
		dims[dim] /= 4
		onGrid(t, fmt.Sprintf(`p = f32[4,8,12] parameter(0)
ROOT r = f32[%d,%d,%d] reduce-scatter(p), replica_groups={{2,0,1,3}}, dimensions={%d}, to_apply=sub`,
			dims[0], dims[1], dims[2], dim), 4, 1, shape.Array(shape.F32, 4, 8, 12))
	}
	onGrid(t, `p = f32[0,4] parameter(0)
ROOT r = f32[0,2] reduce-scatter(p), replica_groups={}, dimensions={1}, to_apply=add`, 2, 1, shape.Array(shape.F32, 0, 4))
}

func TestAllGatherAndAllToAll(t *testing.T) {
	p := shape.Array(shape.U16, 4, 6, 2)
	onGrid(t, `p = u16[4,6,2] parameter(0)
g = u16[4,24,2] all-gather(p), channel_id=1, replica_groups={{1,0}}, dimensions={1}
s = (u16[4,6,2], u16[8,6,2]) all-gather-start(p), replica_groups={{0,1}}, dimensions={0}
d = u16[8,6,2] all-gather-done(s)
a = u16[4,6,2] all-to-all(p), replica_groups={{1,0}}, dimensions={1}
b = u16[4,6,2] all-to-all(p), channel_id=2, replica_groups={{0,1}}, dimensions={2}
c = (u16[4,6,2], u16[4,6,2]) all-to-all(p, a), replica_groups={{0,1}}
ROOT r = (u16[4,24,2], u16[8,6,2], u16[4,6,2], u16[4,6,2], (u16[4,6,2], u16[4,6,2])) tuple(g, d, a, b, c)`, 2, 2, p)
}

func TestPermuteAndBroadcast(t *testing.T) {
	onGrid(t, `p = f32[3] parameter(0)
q = s64[2,2] parameter(1)
a = f32[3] collective-permute(p), source_target_pairs={{0,1},{1,2},{2,0}}
b = (f32[3], s64[2,2]) collective-permute(p, q), source_target_pairs={{0,3},{3,1}}
s = (f32[3], f32[3], u32[], u32[]) collective-permute-start(p), source_target_pairs={{1,1}}
d = f32[3] collective-permute-done(s)
c = f32[3] collective-broadcast(p), replica_groups={{2,0}}
ROOT r = (f32[3], (f32[3], s64[2,2]), f32[3], f32[3]) tuple(a, b, d, c)`, 4, 1, shape.Array(shape.F32, 3),
		shape.Array(shape.S64, 2, 2))
	onGrid(t, `p = f32[5,6] parameter(0)
q = f32[4,7] parameter(1)
i = s32[] constant(1)
j = s32[] constant(9)
k = s32[] constant(-2)
a = (s32[], s32[]) tuple(i, j)
b = (s32[], s32[]) tuple(k, i)
st = ((s32[], s32[]), (s32[], s32[])) tuple(a, b)
ROOT r = f32[4,7] collective-permute(p, q, st, st), source_target_pairs={{0,1},{1,0}}, slice_sizes={{2,3},{1,2}}`, 3, 1,
		shape.Array(shape.F32, 5, 6), shape.Array(shape.F32, 4, 7))
	onGrid(t, `p = f32[5] parameter(0)
q = f32[3] parameter(1)
c = s32[2] constant({1, 0})
a = (f32[5], f32[3]) collective-broadcast(p, q, c), replica_groups={{0,2}}, has_dynamic_root=true
b = f32[5] collective-reduce(p), replica_groups={{2,1}}, to_apply=sub
d = (f32[5], f32[3]) collective-reduce(p, q, c), replica_groups={{0,2}}, to_apply=sub, has_dynamic_root=true
ROOT r = ((f32[5], f32[3]), f32[5], (f32[5], f32[3])) tuple(a, b, d)`, 3, 1, shape.Array(shape.F32, 5), shape.Array(shape.F32, 3))
}

func TestRaggedAllToAll(t *testing.T) {
	onGrid(t, `p = f32[6,2] parameter(0)
q = f32[9,2] parameter(1)
i = s32[4] constant({0, 1, 3, 4})
n = s32[4] constant({1, 2, 1, 2})
o = s32[4] constant({0, 3, 5, 6})
m = s32[4] constant({1, 2, 1, 2})
ROOT r = f32[9,2] ragged-all-to-all(p, q, i, n, o, m), replica_groups={{0,1}}`, 2, 1, shape.Array(shape.F32, 6, 2),
		shape.Array(shape.F32, 9, 2))
	onGrid(t, `p = f32[6,2] parameter(0)
q = f32[9,2] parameter(1)
i = u64[2] constant({0, 3})
n = u64[2] constant({3, 3})
o = u64[2] constant({1, 4})
ROOT r = f32[9,2] ragged-all-to-all(p, q, i, n, o, n), replica_groups={}`, 2, 1, shape.Array(shape.F32, 6, 2),
		shape.Array(shape.F32, 9, 2))
}

func TestSendAndPlaces(t *testing.T) {
	onGrid(t, `p = f32[4] parameter(0)
k = token[] after-all()
s = (f32[4], u32[], token[]) send(p, k), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2}}"}
v = (f32[4], u32[], token[]) recv(k), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2}}"}
sd = token[] send-done(s), channel_id=1
vd = (f32[4], token[]) recv-done(v), channel_id=1
d = f32[4] get-tuple-element(vd), index=0
i = u32[] replica-id()
j = u32[] partition-id()
ROOT r = (f32[4], u32[], u32[]) tuple(d, i, j)`, 1, 3, shape.Array(shape.F32, 4))
	onGrid(t, "i = u32[] replica-id()\nj = u32[] partition-id()\nROOT r = (u32[], u32[]) tuple(i, j)", 2, 3)
}

// Feeds: each device reads and writes its own.
func TestFeeds(t *testing.T) {
	const text = `
ENTRY e {
  k = token[] after-all()
  a = ((f32[2], s8[3]), token[]) infeed(k)
  x = (f32[2], s8[3]) get-tuple-element(a), index=0
  ka = token[] get-tuple-element(a), index=1
  o = token[] outfeed(x, ka), outfeed_shape=(f32[2], s8[3])
  b = (f32[2], token[]) infeed(o)
  ROOT y = f32[2] get-tuple-element(b), index=0
}`
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 8))
	program, err := cpu.New(cpu.Options{}).Compile(ctx, parsed(t, text), exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	var feeds []*hlo.Feed
	var sent, last []*literal.Literal
	for d := range 2 {
		feeds = append(feeds, hlo.NewFeed(0))
		sent = append(sent, literal.NewTuple(random(r, shape.Array(shape.F32, 2)), random(r, shape.Array(shape.S8, 3))))
		last = append(last, random(r, shape.Array(shape.F32, 2)))
		for _, l := range []*literal.Literal{sent[d], last[d]} {
			if err := feeds[d].TransferToInfeed(ctx, l); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err := program.Run(ctx, make([][]*literal.Literal, 2), exec.RunOptions{Replicas: 2, Feeds: feeds})
	if err != nil {
		t.Fatal(err)
	}
	for d := range 2 {
		got, err := feeds[d].TransferFromOutfeed(ctx)
		if err != nil || !literal.Equal(got, sent[d]) || !literal.Equal(out[d], last[d]) {
			t.Errorf("device %d: got %v and %v, %v, want %v and %v", d, got, out[d], err, sent[d], last[d])
		}
	}
	if _, err := program.Run(ctx, make([][]*literal.Literal, 1), exec.RunOptions{}); err == nil ||
		!strings.Contains(err.Error(), "has no feed") {
		t.Errorf("without feeds: got %v", err)
	}
}

// Faults name the devices, and none hangs.
func TestCollectiveFaults(t *testing.T) {
	for _, tc := range []struct {
		body, want string
		replicas   int
	}{
		{"ROOT r = f32[9] all-gather(p), replica_groups={{0,1,2}}, dimensions={0}", "group {0,1,2} names replica 2", 2},
		{"ROOT r = f32[9] all-gather(p), replica_groups={}, dimensions={0}", "is not 2 times that of", 2},
		{"ROOT r = f32[3] collective-permute(p), source_target_pairs={{0,5}}", "names replica 5", 2},
		{"k = token[] after-all()\nv = (f32[3], u32[], token[]) recv(k), channel_id=1\nvd = (f32[3], token[]) recv-done(v)\n" +
			"ROOT r = f32[3] get-tuple-element(vd), index=0", "waits in vd", 2},
	} {
		p := program{text: reducers + "ENTRY e {\np = f32[3] parameter(0)\n" + tc.body + "\n}", args: arg(t, 1, 2, 3)}
		p.run.Replicas = tc.replicas
		m := parsed(t, p.text)
		program, err := cpu.New(cpu.Options{}).Compile(context.Background(), m, p.o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = program.Run(context.Background(), p.perDevice(), p.run)
		program.Close()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s\ngot %v, want %q", tc.body, err, tc.want)
		}
	}
}

func arg(t *testing.T, v ...float32) []*literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v)
	if err != nil {
		t.Fatal(err)
	}
	return []*literal.Literal{l}
}
