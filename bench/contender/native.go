package contender

import (
	"github.com/admitctl/admitctl/bench/native"
	"github.com/admitctl/admitctl/inputs"
)

// The loops below are written out, gate by gate: a call through a function value would cost as much as a check.

func nativeFence(t *native.Thresholds, documents []*inputs.Fence) []Contender {
	return []Contender{{
		Name: Native,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.DecideFence(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.DecideFence(documents[i]).Verdict) },
	}, {
		Name: NativeUnsafe,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.Fence(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.Fence(documents[i]).Verdict) },
	}}
}

func nativeRetry(t *native.Thresholds, documents []*inputs.Retry) []Contender {
	return []Contender{{
		Name: Native,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.DecideRetry(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.DecideRetry(documents[i]).Verdict) },
	}, {
		Name: NativeUnsafe,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.Retry(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.Retry(documents[i]).Verdict) },
	}}
}

func nativeBind(t *native.Thresholds, documents []*inputs.Bind) []Contender {
	return []Contender{{
		Name: Native,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.DecideBind(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.DecideBind(documents[i])) },
	}, {
		Name: NativeUnsafe,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.Bind(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.Bind(documents[i])) },
	}}
}

func nativeCompaction(t *native.Thresholds, documents []*inputs.Compaction) []Contender {
	return []Contender{{
		Name: Native,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.DecideCompaction(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.DecideCompaction(documents[i])) },
	}, {
		Name: NativeUnsafe,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.Compaction.Decide(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.Compaction.Decide(documents[i])) },
	}}
}

func nativeFanout(t *native.Thresholds, documents []*inputs.Fanout) []Contender {
	return []Contender{{
		Name: Native,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.DecideFanout(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.DecideFanout(documents[i])) },
	}, {
		Name: NativeUnsafe,
		Pass: func() int {
			admits := 0
			for _, document := range documents {
				if t.DecideClass(document).Admit {
					admits++
				}
			}
			return admits
		},
		Judge: func(i int) (bool, string, error) { return judged(t.DecideClass(documents[i])) },
	}}
}

func judged(v native.Verdict) (bool, string, error) { return v.Admit, v.Reason, nil }
