package table_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

// compiled is the shipped policies with the gate of examples/subagent, and rows for two planes.
var compiled = sync.OnceValues(compile)

func compile() (*engine.Program, error) {
	files := fstest.MapFS{}
	for root, from := range map[string]fs.FS{"": policies.Files, "subagent/": os.DirFS("../examples/subagent/policies/subagent")} {
		err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(from, name)
			files[root+name] = &fstest.MapFile{Data: text}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	planes := engine.Overlay("planes.yaml", []byte("fence:\n  planes: {b: {depth_limit: 9}, a: {depth_limit: 3, health_max_age_ms: 70}}\n"))
	return engine.Compile(context.Background(), files, planes)
}

func gatesOf(t testing.TB, program *engine.Program) []*table.Gate {
	t.Helper()
	var gates []*table.Gate
	for _, evaluator := range program.Evaluators() {
		require.NoError(t, evaluator.Why)
		gates = append(gates, program.Table(evaluator.Gate))
	}
	return gates
}

func written(t testing.TB, gates ...*table.Gate) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, table.Write(&file, gates...))
	return file.Bytes()
}

func shipped(t testing.TB) (*engine.Program, []byte) {
	t.Helper()
	program, err := compiled()
	require.NoError(t, err)
	return program, written(t, gatesOf(t, program)...)
}

// fixtures are the documents of fixtures and of examples/subagent.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, root := range []string{"../fixtures", "../examples/subagent/fixtures"} {
		require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".want.json") {
				return err
			}
			texts[name], err = os.ReadFile(name)
			return err
		}))
	}
	require.Greater(t, len(texts), 150)
	return texts
}

func TestASetThatWasReadDecidesAsTheProgramDoes(t *testing.T) {
	program, file := shipped(t)
	set, err := table.Read(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, program.Gates(), set.Names())
	require.Equal(t, program.Revision(), set.Revision())
	require.Len(t, set.Schemas(), 1)
	documents := 0
	for name, text := range fixtures(t) {
		own, err := program.Decode(text, inputs.Source{File: name})
		if err != nil {
			continue // a fixture of what is refused
		}
		documents++
		want, err := program.Decide(t.Context(), own)
		require.NoError(t, err, name)
		read, err := set.Decode(text, inputs.Source{File: name})
		require.NoError(t, err, name)
		for _, document := range []inputs.Document{own, read} {
			var got table.Decision
			require.NoError(t, set.Decide(document, &got), name)
			require.Equal(t, want, got, name)
			verdict, err := set.Verdict(document)
			require.NoError(t, err, name)
			require.Equal(t, want.Verdict(), verdict, name)
		}
	}
	require.Greater(t, documents, 150)
}

func TestAProgramIsReadAsItWasWritten(t *testing.T) {
	program, file := shipped(t)
	set, err := table.Read(bytes.NewReader(file))
	require.NoError(t, err)
	var gates []*table.Gate
	for _, name := range set.Names() {
		require.Equal(t, program.Table(name).Program(), set.Gate(name).Program())
		require.Equal(t, program.Revision(), set.Gate(name).Revision())
		gates = append(gates, set.Gate(name))
	}
	require.Equal(t, file, written(t, gates...))
}

func TestTheSamePoliciesGiveTheSameFile(t *testing.T) {
	_, file := shipped(t)
	again, err := compile()
	require.NoError(t, err)
	gates := gatesOf(t, again)
	gates[0], gates[1] = gates[1], gates[0]
	require.Equal(t, file, written(t, gates...))
	require.Less(t, len(file), 64<<10)
}

func TestAFileThatIsNotAsItWasWrittenIsRefused(t *testing.T) {
	program, _ := shipped(t)
	file := written(t, program.Table("fence.retry"))
	refused := func(file []byte) {
		t.Helper()
		set, err := table.Read(bytes.NewReader(file))
		require.ErrorIs(t, err, table.ErrTable)
		require.Nil(t, set)
	}
	for at := range file {
		for bit := range 8 {
			flipped := bytes.Clone(file)
			flipped[at] ^= 1 << bit
			refused(flipped)
		}
		refused(file[:at])
	}
	for _, end := range []string{"\n", " ", "\x00", string(file)} {
		refused(append(bytes.Clone(file), end...))
	}
}

func TestWhyAFileIsRefused(t *testing.T) {
	program, _ := shipped(t)
	file := written(t, program.Table("fence.retry"))
	newer := bytes.Replace(file, []byte("table 1\n"), []byte("table 2\n"), 1)
	content, err := table.Open(file)
	require.NoError(t, err)
	for name, row := range map[string]struct {
		file []byte
		kind error
		says string
	}{
		"empty":         {nil, table.ErrFormat, `it does not begin with "admitctl table "; build it anew: admitctl build -o FILE`},
		"another file":  {[]byte("gates:\n"), table.ErrFormat, "no table file"},
		"newer":         {newer, table.ErrVersion, `it is of version "2", and this program reads version 1; build both of one version`},
		"no version":    {[]byte("admitctl table "), table.ErrVersion, `version ""`},
		"cut off":       {file[:len(file)-1], table.ErrDamaged, "cut off, added to or changed; copy it anew"},
		"without more":  {file[:20], table.ErrDamaged, "its digest"},
		"added to":      {append(bytes.Clone(file), 0), table.ErrDamaged, "its digest"},
		"digest in all": {bytes.Replace(file, []byte("sha256"), []byte("SHA256"), 1), table.ErrDamaged, "its digest"},
		"too large":     {append(bytes.Clone(file), make([]byte, table.MaxFile)...), table.ErrTooLarge, "is it the right file?"},
		"of no content": {table.Seal(nil), table.ErrTable, "of another form; build it anew"},
		"of no gates":   {table.Seal([]byte{0, 1}), table.ErrTable, "there are no gates"},
		"goes on":       {table.Seal(append(bytes.Clone(content), 0)), table.ErrTable, "its content goes on after its gates"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := table.Read(bytes.NewReader(row.file))
			require.ErrorIs(t, err, row.kind)
			require.ErrorIs(t, err, table.ErrTable)
			require.ErrorContains(t, err, row.says)
			require.Nil(t, set)
		})
	}
	broken := errors.New("the disk is gone")
	_, err = table.Read(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestWhatIsNoSetIsNotWritten(t *testing.T) {
	program, _ := shipped(t)
	retry := program.Table("fence.retry")
	other, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	for name, row := range map[string]struct {
		gates []*table.Gate
		says  string
	}{
		"no gate":           {nil, "there are no gates"},
		"a gate that isn't": {[]*table.Gate{retry, nil}, "it did not tabulate"},
		"a gate twice":      {[]*table.Gate{retry, retry}, "gate fence.retry is there twice"},
		"two revisions":     {[]*table.Gate{retry, other.Table("fence")}, "gate fence is of another revision"},
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			err := table.Write(&file, row.gates...)
			require.ErrorIs(t, err, table.ErrTable)
			require.ErrorContains(t, err, row.says)
			require.Empty(t, file.Bytes())
		})
	}
}

// panicking is a document of somebody else.
type panicking struct{ *inputs.Retry }

func (panicking) Validate() error { panic("no") }

func TestASetRejectsWhatItCannotDecide(t *testing.T) {
	program, all := shipped(t)
	whole, err := table.Read(bytes.NewReader(all))
	require.NoError(t, err)
	set, err := table.Read(bytes.NewReader(written(t, program.Table("fence.retry"))))
	require.NoError(t, err)
	retry := &inputs.Retry{AttemptID: "a", CreatedOn: "p", Charge: inputs.Charge{Name: "p", RetryBudget: inputs.Known(1)}}
	verdict, err := set.Verdict(retry)
	require.NoError(t, err)
	require.True(t, verdict.Admit)
	bind := &inputs.Bind{AttemptID: "a", ScoreRevision: "r", CurrentRevision: inputs.KnownText("r"), AttemptState: inputs.KnownText("accepted")}
	_, err = whole.Verdict(bind)
	require.NoError(t, err)
	var none *table.Set
	for name, row := range map[string]struct {
		set      *table.Set
		document inputs.Document
		kind     error
	}{
		"a gate that is not in the set": {set, bind, inputs.ErrUnknownGate},
		"nil set":                       {none, retry, inputs.ErrUnknownGate},
		"zero set":                      {&table.Set{}, retry, inputs.ErrUnknownGate},
		"no document":                   {set, nil, inputs.ErrInvalid},
		"a nil document":                {set, (*inputs.Retry)(nil), inputs.ErrInvalid},
		"a document of nothing":         {set, (*inputs.Custom)(nil), inputs.ErrUnknownGate},
		"an invalid document":           {set, &inputs.Retry{}, inputs.ErrMissingField},
		"a document that panics":        {set, panicking{retry}, inputs.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			var d table.Decision
			err := row.set.Decide(row.document, &d)
			require.ErrorIs(t, err, row.kind)
			require.Equal(t, row.set.Revision(), d.Policy.Revision)
			verdict, again := row.set.Verdict(row.document)
			require.ErrorIs(t, again, row.kind)
			require.False(t, d.Admit)
			require.Equal(t, table.ReasonInvalidInput, d.Reason)
			require.Equal(t, table.Verdict{Reason: table.ReasonInvalidInput, Action: table.ActionReject}, verdict)
			require.Empty(t, d.Effects)
		})
	}
	require.Nil(t, none.Gate("fence"))
	require.Empty(t, none.Names())
	require.Empty(t, none.Schemas())
	require.Empty(t, none.Revision())
	require.Nil(t, set.Gate("fence"))
}

func TestOriginsAreToldFromTheDirectoryOfThePolicies(t *testing.T) {
	here, err := engine.Compile(t.Context(), policies.Files, engine.Named("here"))
	require.NoError(t, err)
	there, err := engine.Compile(t.Context(), policies.Files, engine.Named("/over/there"))
	require.NoError(t, err)
	own := here.Table("fence").Below("./here")
	require.Equal(t, written(t, own), written(t, there.Table("fence").Below("/over/there/")))
	require.Equal(t, "fence/fence.rego", own.Program().Checks[0].At.File)
	require.Equal(t, "here/fence/fence.rego", here.Table("fence").Program().Checks[0].At.File)
	require.Equal(t, here.Table("fence").Program(), here.Table("fence").Below("elsewhere").Program())
	require.Nil(t, here.Table("nothing").Below("here"))
}

func TestDecidingByASetAllocatesNothing(t *testing.T) {
	_, file := shipped(t)
	set, err := table.Read(bytes.NewReader(file))
	require.NoError(t, err)
	for _, name := range []string{"../fixtures/fence/admit_fresh_borrow.json", "../fixtures/fanout/admit.json", "../examples/subagent/fixtures/admit_implementer.json"} {
		document, err := set.Decode(fixtures(t)[name], inputs.Source{})
		require.NoError(t, err)
		var d table.Decision
		require.Zero(t, testing.AllocsPerRun(100, func() {
			_, _ = set.Verdict(document)
			_ = set.Decide(document, &d)
		}), name)
	}
}

func BenchmarkRead(b *testing.B) {
	_, file := shipped(b)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		_, err := table.Read(bytes.NewReader(file))
		require.NoError(b, err)
	}
}
