#ident "anything"
#pragma ident "anything"
#pragma unknown to us
#pragma D option quiet
BEGIN
{
	printf("fine\n");
	exit(0);
}
