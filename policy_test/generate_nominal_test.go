package policy_test

// nominal documents admit under the default thresholds; between them they show
// every shape that a gate's documents have. Each call gives fresh ones.
func nominal(gate string) []document {
	switch gate {
	case "fence":
		return nominalFence()
	case "fence.retry":
		return []document{retryDoc("free-eval", 1), retryDoc("gpu-a", 3)}
	case "fence.bind":
		return []document{bindDoc("R3", "R3", "accepted"), bindDoc("sha256:9f", "sha256:9f", "accepted")}
	case "compaction":
		return nominalCompaction()
	case "fanout":
		return nominalFanout()
	}
	panic("no such gate: " + gate)
}

// nominalFence: plain, borrowing, with a plane that is ignored, and with
// limits that the caller tightened.
func nominalFence() []document {
	plane := func(name string, depth, budget, age int64) document { return planeDoc(name, depth, budget, age) }
	plain := fenceDoc(false, plane("gpu-a", 0, 3, 0), nil)
	delete(plain, "borrowed")
	delete(plain, "revision")
	tightened := fenceDoc(true, plane("gpu-a", 1, 2, 100), plane("free-eval", 1, 1, 200))
	place(tightened, "primary.depth_limit", int64(2))
	place(tightened, "primary.health_max_age_ms", int64(1000))
	place(tightened, "borrowed.depth_limit", int64(3))
	place(tightened, "borrowed.health_max_age_ms", int64(2000))
	return []document{
		plain,
		fenceDoc(true, plane("gpu-a", 0, 3, 0), plane("free-eval", 0, 1, 0)),
		fenceDoc(false, plane("gpu-a", 3, 1, 2000), plane("free-eval", 4, 0, 9000)),
		tightened,
	}
}

// nominalCompaction: no path named, the free path with all that it asks for,
// the paid path, an estimate from characters, and the optional facts.
func nominalCompaction() []document {
	with := func(d, fields document) document {
		for field, value := range fields {
			place(d, field, value)
		}
		return d
	}
	base := func() document { return compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9) }
	return []document{
		base(),
		with(base(), document{"path": "free", "cancelable": true, "same_turn": false, "console_age_ms": int64(60000)}),
		with(base(), document{"path": "paid", "same_turn": true}),
		with(base(), document{"est_tokens": gone, "transcript_chars": int64(3197)}),
		with(base(), document{"jobs_this_turn": int64(0), "last_compacted_version": int64(8), "retry_count": int64(2)}),
	}
}

// nominalFanout: plain, the probe of an idle window, with siblings and a live
// meter, watched for its age, and with the caller's own switches.
func nominalFanout() []document {
	idle := fanoutDoc(0, 90000, 0, 0, 1, 0)
	place(idle, "inflight", int64(0))
	place(idle, "meter_age_ms", int64(0))
	metered := fanoutDoc(1000, 90000, 4000, 2, 1, 3)
	place(metered, "siblings", int64(2))
	place(metered, "inflight", int64(1))
	place(metered, "meter_age_ms", int64(5000))
	switched := fanoutDoc(0, 60000, 16000, 2, 0, 20)
	place(switched, "class_enabled", true)
	place(switched, "max_depth", int64(0))
	place(switched, "max_siblings", int64(1))
	place(switched, "siblings", int64(1))
	return []document{
		fanoutDoc(1000, 90000, 4000, 2, 1, 0),
		idle,
		metered,
		fanoutDoc(15000, 60000, 8000, 1, 1, 14),
		switched,
	}
}
