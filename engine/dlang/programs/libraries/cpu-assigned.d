BEGIN { trace(curcpu->cpu_id); }
BEGIN { curcpu = 1; }
