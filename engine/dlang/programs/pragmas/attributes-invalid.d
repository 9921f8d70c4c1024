#pragma D attributes Stable/Common x
BEGIN { }
