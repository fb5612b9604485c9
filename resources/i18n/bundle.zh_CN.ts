<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Bundle</name>
    <message>
        <source>secrets</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>host names</source>
        <translation>主机名</translation>
    </message>
    <message>
        <source>user names</source>
        <translation>用户名</translation>
    </message>
    <message>
        <source>paths</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>IPv4 addresses</source>
        <translation>IPv4 地址</translation>
    </message>
    <message>
        <source>IPv6 addresses</source>
        <translation>IPv6 地址</translation>
    </message>
    <message>
        <source>MAC addresses</source>
        <translation>MAC 地址</translation>
    </message>
    <message>
        <source>UUIDs</source>
        <translation>UUID</translation>
    </message>
    <message>
        <source>serial numbers</source>
        <translation>序列号</translation>
    </message>
    <message>
        <source>e-mail addresses</source>
        <translation>邮箱地址</translation>
    </message>
    <message>
        <source>[… the preview ends here, the file goes on …]</source>
        <translation>[… 预览到此为止，文件还有后续内容 …]</translation>
    </message>
    <message>
        <source>Nothing is replaced: names, addresses and secrets are in it.</source>
        <translation>未做任何替换：其中包含名称、地址和密钥。</translation>
    </message>
    <message>
        <source>Nothing had to be replaced.</source>
        <translation>没有需要替换的内容。</translation>
    </message>
    <message>
        <source>Replaced by stand-ins: {list}</source>
        <translation>已用占位符替换：{list}</translation>
    </message>
</context>
<context>
    <name>BundleSheet</name>
    <message>
        <source>Replace hosts, users, paths, addresses and secrets</source>
        <translation>替换主机、用户、路径、地址和密钥</translation>
    </message>
    <message>
        <source>Files of the bundle</source>
        <translation>支持包中的文件</translation>
    </message>
    <message>
        <source>Content of the file</source>
        <translation>文件内容</translation>
    </message>
    <message>
        <source>Support bundle of {name}</source>
        <translation>{name} 的支持包</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Gathering …</source>
        <translation>正在收集…</translation>
    </message>
    <message>
        <source>Not in it: {list}</source>
        <translation>未包含：{list}</translation>
    </message>
    <message>
        <source>Save the support bundle</source>
        <translation>保存支持包</translation>
    </message>
</context>
</TS>
