// plimsoll-worker, whole, so that an embedder has nothing to install.
	.section .rodata.plimsoll_worker, "a", @progbits
	.balign 16
	.globl plimsoll_worker_begin
	.hidden plimsoll_worker_begin
plimsoll_worker_begin:
	.incbin WORKER_ELF_PATH
	.globl plimsoll_worker_end
	.hidden plimsoll_worker_end
plimsoll_worker_end:

// Its SHA-256: 64 hex digits and a newline.
	.globl plimsoll_worker_sha256
	.hidden plimsoll_worker_sha256
plimsoll_worker_sha256:
	.incbin WORKER_SHA256_PATH
	.section .note.GNU-stack, "", @progbits
