// The snapshot, page-aligned in the file and in memory, so that workers can map it from either.
	.section .rodata.plimsoll_snapshot, "a", @progbits
	.balign 4096
	.globl plimsoll_snapshot_begin
	.hidden plimsoll_snapshot_begin
	.type plimsoll_snapshot_begin, @object
plimsoll_snapshot_begin:
	.incbin SNAPSHOT_BIN_PATH
	.globl plimsoll_snapshot_end
	.hidden plimsoll_snapshot_end
plimsoll_snapshot_end:
	.size plimsoll_snapshot_begin, . - plimsoll_snapshot_begin
	.balign 4096
	.section .note.GNU-stack, "", @progbits
