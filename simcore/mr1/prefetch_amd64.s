#include "textflag.h"

// func prefetch(node, slots, leaf, parent unsafe.Pointer)
TEXT ·prefetch(SB), NOSPLIT, $0-32
	MOVQ node+0(FP), AX
	MOVQ slots+8(FP), BX
	MOVQ leaf+16(FP), CX
	MOVQ parent+24(FP), DX
	PREFETCHT0 (AX)
	PREFETCHT0 (BX)
	PREFETCHT0 64(BX)
	PREFETCHT0 128(BX)
	PREFETCHT0 (CX)
	PREFETCHT0 (DX)
	RET
