package mutantswitch

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type numeric interface {
	integer | ~float32 | ~float64
}

func either[T any](id int, healthy, mutated T) T {
	if On(id) {
		return mutated
	}
	return healthy
}

// Number is a constant n, or n + 1.
func Number[T integer](id int, n T) T { return either(id, n, n+1) }

// Text is a constant, or another one.
func Text[T ~string](id int, text T) T { return either(id, text, text+"_x") }

// Add is a + b, or a - b.
func Add[T numeric](id int, a, b T) T { return either(id, a+b, a-b) }

// Subtract is a - b, or a + b.
func Subtract[T numeric](id int, a, b T) T { return either(id, a-b, a+b) }

// Multiply is a * b, or a + b.
func Multiply[T numeric](id int, a, b T) T { return either(id, a*b, a+b) }

// Divide is a / b, or a * b.
func Divide[T numeric](id int, a, b T) T {
	if On(id) {
		return a * b
	}
	return a / b
}

// Remainder is a % b, or a * b.
func Remainder[T integer](id int, a, b T) T {
	if On(id) {
		return a * b
	}
	return a % b
}

// And is a & b, or a | b.
func And[T integer](id int, a, b T) T { return either(id, a&b, a|b) }

// Or is a | b, or a & b.
func Or[T integer](id int, a, b T) T { return either(id, a|b, a&b) }

// Xor is a ^ b, or a & b.
func Xor[T integer](id int, a, b T) T { return either(id, a^b, a&b) }

// Clear is a &^ b, or a & b.
func Clear[T integer](id int, a, b T) T { return either(id, a&^b, a&b) }

// ShiftLeft is a << b, or a >> b.
func ShiftLeft[T, S integer](id int, a T, b S) T { return either(id, a<<b, a>>b) }

// ShiftRight is a >> b, or a << b.
func ShiftRight[T, S integer](id int, a T, b S) T { return either(id, a>>b, a<<b) }

// Complement undoes the ^ of its operand where it is on.
func Complement[T integer](id int, a T) T { return either(id, a, ^a) }

// Negative undoes the - of its operand where it is on.
func Negative[T numeric](id int, a T) T { return either(id, a, -a) }
