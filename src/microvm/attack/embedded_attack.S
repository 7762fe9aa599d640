// The attacking guest, for the tests.
	.section .rodata.plimsoll_attack, "a", @progbits
	.balign 4096
	.globl plimsoll_attack_begin
	.hidden plimsoll_attack_begin
plimsoll_attack_begin:
	.incbin ATTACK_ELF_PATH
	.globl plimsoll_attack_end
	.hidden plimsoll_attack_end
plimsoll_attack_end:
	.section .note.GNU-stack, "", @progbits
