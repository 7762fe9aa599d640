// plimsoll-vmm, whole, so that an embedder has nothing to install; nothing where it is not built.
	.section .rodata.plimsoll_vmm, "a", @progbits
	.balign 16
	.globl plimsoll_vmm_begin
	.hidden plimsoll_vmm_begin
plimsoll_vmm_begin:
#ifdef VMM_ELF_PATH
	.incbin VMM_ELF_PATH
#endif
	.globl plimsoll_vmm_end
	.hidden plimsoll_vmm_end
plimsoll_vmm_end:

// Its SHA-256: 64 hex digits and a newline.
	.globl plimsoll_vmm_sha256
	.hidden plimsoll_vmm_sha256
plimsoll_vmm_sha256:
#ifdef VMM_ELF_PATH
	.incbin VMM_SHA256_PATH
#endif
	.globl plimsoll_vmm_sha256_end
	.hidden plimsoll_vmm_sha256_end
plimsoll_vmm_sha256_end:
	.byte 0
	.section .note.GNU-stack, "", @progbits
