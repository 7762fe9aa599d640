// The guest image and the snapshot of the engine's memory, as the VMM puts them into machines.
	.section .rodata.plimsoll_guest, "a", @progbits
	.balign 4096
	.globl plimsoll_guest_begin
	.hidden plimsoll_guest_begin
plimsoll_guest_begin:
	.incbin GUEST_ELF_PATH
	.globl plimsoll_guest_end
	.hidden plimsoll_guest_end
plimsoll_guest_end:
	.balign 4096
	.globl plimsoll_snapshot_begin
	.hidden plimsoll_snapshot_begin
plimsoll_snapshot_begin:
	.incbin SNAPSHOT_BIN_PATH
	.globl plimsoll_snapshot_end
	.hidden plimsoll_snapshot_end
plimsoll_snapshot_end:
	.section .note.GNU-stack, "", @progbits
