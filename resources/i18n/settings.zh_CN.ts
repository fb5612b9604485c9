<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Pages</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Passwords and the keyring</source>
        <translation>密码与密钥环</translation>
    </message>
    <message>
        <source>Mirrors for images</source>
        <translation>镜像加速地址</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Look for updates</source>
        <translation>检查更新</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Your own data files</source>
        <translation>自定义数据文件</translation>
    </message>
    <message>
        <source>Arrangement of the window</source>
        <translation>窗口布局</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Language and look</source>
        <translation>语言与外观</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Nothing secret lies in these folders.</source>
        <translation>这些文件夹里没有任何机密。</translation>
    </message>
    <message>
        <source>Settings and accepted host keys</source>
        <translation>设置和已接受的主机密钥</translation>
    </message>
    <message>
        <source>Hosts, fingerprints, saved profiles</source>
        <translation>主机、指纹和已保存的配置</translation>
    </message>
    <message>
        <source>What can be made again</source>
        <translation>可重新生成的内容</translation>
    </message>
    <message>
        <source>Your own data files</source>
        <translation>自定义数据文件</translation>
    </message>
    <message>
        <source>Open folder: {name}</source>
        <translation>打开文件夹：{name}</translation>
    </message>
    <message>
        <source>No program here opens folders; the path is copied: {path}</source>
        <translation>这里没有能打开文件夹的程序；路径已复制：{path}</translation>
    </message>
</context>
</TS>
