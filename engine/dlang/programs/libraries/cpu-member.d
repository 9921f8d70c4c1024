BEGIN { trace(curcpu->cpu_chip); }
