#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", ntohs(htons(0x1234)) == 0x1234, ntohl(htonl(0x12345678)) == 0x12345678,
	    ntohll(htonll(0x123456789abcdef0)) == 0x123456789abcdef0);
	exit(0);
}
